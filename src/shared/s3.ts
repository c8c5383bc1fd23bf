import { S3Client } from "bun"
import { Redacted } from "effect"

export interface S3Settings {
  readonly bucket: string
  readonly endpoint: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted<string>
}

export const s3Client = (settings: S3Settings): S3Client =>
  new S3Client({ ...settings, secretAccessKey: Redacted.value(settings.secretAccessKey) })

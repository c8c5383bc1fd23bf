import { S3Client } from "bun"
import { Redacted } from "effect"
import type { S3Settings } from "./config.ts"

export const s3Client = (settings: S3Settings): S3Client =>
  new S3Client({ ...settings, secretAccessKey: Redacted.value(settings.secretAccessKey) })

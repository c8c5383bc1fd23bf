/** The addresses of what a browser downloads by itself. */
import { chosen } from "./call.ts"

const segment = encodeURIComponent

export const links = {
  csv: (filter: Readonly<Record<string, string | undefined>>): string => {
    const query = new URLSearchParams(chosen<Record<string, string>>(filter)).toString()
    return `/api/kyc/sessions.csv${query && `?${query}`}`
  },
  export: (sessionId: string): string => `/api/kyc/sessions/${segment(sessionId)}/export`,
  file: (sessionId: string, fileId: string): string =>
    `/api/kyc/sessions/${segment(sessionId)}/files/${segment(fileId)}`,
  openapi: (apiId: string): string => `/api/api-marketplace/apis/${segment(apiId)}/openapi.json`
}

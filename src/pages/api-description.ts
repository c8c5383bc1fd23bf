import { Context } from "effect"
import type { Json } from "../web/json.ts"

/** The OpenAPI document of doorlock's own API, made when it is first needed. */
export class ApiDescription extends Context.Tag("doorlock/pages/ApiDescription")<
  ApiDescription,
  () => Json
>() {}

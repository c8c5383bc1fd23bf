/** Example calls for the API description, one per route. */
const version = {
  id: "01a1f8d7-dfc4-72f6-b84c-9d48f8e69172",
  version: "1",
  created_at: "2026-11-20T10:00:00.000Z"
}

const plan = {
  id: "01a1f8d8-1c5e-7b43-9f0e-3a1c55d2e781",
  name: "Free",
  requests_per_minute: 60,
  requests_per_month: 10_000
}

const about = {
  id: "01a1f8d6-72c1-769b-b352-930a5f6722f1",
  publisher_slug: "acme",
  slug: "weather",
  name: "Weather",
  description: "What the weather is like, and what it will be."
}

const listed = { ...about, versions: [version], plans: [plan] }

const own = {
  ...about,
  status: "published",
  taken_down: null,
  versions: [
    {
      ...version,
      upstream_url: "https://weather.example.com/v1",
      sandbox_upstream_url: null,
      timeout_seconds: 30,
      has_openapi: true
    }
  ],
  plans: [plan]
}

const publisher = {
  id: "01a1f8d5-9a07-7d1e-8c55-0b7e1f2a6c90",
  slug: "acme",
  name: "Acme Ltd",
  created_at: "2026-11-20T09:00:00.000Z"
}

const document = {
  openapi: "3.1.0",
  info: { title: "Weather", version: "1" },
  paths: { "/now": { get: { responses: { 200: { description: "The weather" } } } } }
}

const description = {
  response: {
    openapi: "3.1.1",
    info: { title: "Weather", version: "1" },
    servers: [{ url: "https://doorlock.example.com/gateway" }],
    paths: {
      "/acme/weather/v/1/now": { get: { responses: { 200: { description: "The weather" } } } }
    }
  }
}

const done = { request: {}, response: { ok: true } }

export const catalog = {
  list: { response: { apis: [listed], total: 1, limit: 20, offset: 0 } },
  get: { response: { api: listed } },
  describeAll: description,
  describe: description
}

export const publishing = {
  becomePublisher: { request: { slug: "acme", name: "Acme Ltd" }, response: { publisher } },
  publisher: { response: { publisher } },
  list: { response: { apis: [own] } },
  addApi: {
    request: { slug: about.slug, name: about.name, description: about.description },
    response: { api: { ...about, status: "draft", versions: [], plans: [] } }
  },
  changeApi: {
    request: { name: about.name, description: about.description },
    response: { api: own }
  },
  addVersion: {
    request: {
      version: "1",
      upstreamUrl: "https://weather.example.com/v1",
      sandboxUpstreamUrl: "https://sandbox.weather.example.com/v1",
      timeoutSeconds: 30,
      openapi: document
    },
    response: { version }
  },
  addPlan: {
    request: { name: "Free", requestsPerMinute: 60, requestsPerMonth: 10_000 },
    response: { plan }
  },
  publish: done,
  unpublish: done
}

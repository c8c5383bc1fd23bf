/** Starts Swagger UI. The server sends this as a plain script, with its types stripped. */

/** Defined by swagger-ui-bundle.js, which the page loads first. */
declare const SwaggerUIBundle: (options: object) => void

const dark = matchMedia("(prefers-color-scheme: dark)")
const followColorScheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches)
dark.addEventListener("change", followColorScheme)
followColorScheme()

SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#docs",
  // By default, Swagger UI sends the document to its makers' validator.
  validatorUrl: null,
  deepLinking: true,
  tryItOutEnabled: true,
  // A key is deleted when the page is closed.
  persistAuthorization: false,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  requestSnippetsEnabled: true,
  requestSnippets: {
    generators: { curl_bash: { title: "curl", syntax: "bash" } },
    languages: ["curl_bash"],
    defaultExpanded: true
  },
  // The document names the public address, but the page may only send requests to the host it was loaded from.
  requestInterceptor: (request: { url: string }) => {
    const { pathname, search } = new URL(request.url, location.origin)
    request.url = `${location.origin}${pathname}${search}`
    return request
  }
})

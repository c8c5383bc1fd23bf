/** The browser code of `/docs`: starts Swagger UI. The server sends it as a plain script, with its types stripped. */

/** Defined by swagger-ui-bundle.js, which the page loads first. */
declare const SwaggerUIBundle: (options: object) => void

const dark = matchMedia("(prefers-color-scheme: dark)")
const followColorScheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches)
dark.addEventListener("change", followColorScheme)
followColorScheme()

SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#docs",
  // Otherwise, Swagger UI would send the document to its makers' validator.
  validatorUrl: null,
  deepLinking: true,
  tryItOutEnabled: true,
  // A key entered here is lost when the page is closed.
  persistAuthorization: false,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  requestSnippetsEnabled: true,
  requestSnippets: {
    generators: { curl_bash: { title: "curl", syntax: "bash" } },
    languages: ["curl_bash"],
    defaultExpanded: true
  },
  // The document names the server's public address. The page may only send requests to the host it was loaded from,
  // which is the same server under any name.
  requestInterceptor: (request: { url: string }) => {
    const { pathname, search } = new URL(request.url, location.origin)
    request.url = `${location.origin}${pathname}${search}`
    return request
  }
})

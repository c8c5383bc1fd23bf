/**
 * Valid and invalid configs and workflows as JSON, with the expected message and whether JSON Schema can
 * express the rule.
 */

type Kind = "config" | "workflow"

/** An accepted document. */
type Good = readonly [kind: Kind, json: string]

/** A refused document and the error message. */
type Bad = readonly [kind: Kind, json: string, sentence: string]

// Workflows around the part under test.
const step = (fields: string) => `{"steps":[{"id":"a","type":"form"},${fields}]}`
const field = (fields: string) => step(`{"id":"b","type":"form","fields":[{"id":"x",${fields}}]}`)
const rule = (rule: string) =>
  `{"steps":[{"id":"a","type":"form","fields":[{"id":"x","type":"date"}]},{"id":"d","type":"document"}],"rules":[${rule}]}`
const when = (condition: string) => rule(`{"after":"a","if":{${condition}},"then":{}}`)
const many = (count: number, item: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => item(index))

/** Two documents as partners write them. */
const proposedConfig = `{"v":1,
  "title":{"en":"Acme identity check"},"locales":["en","et","de","fr","es","ar"],"defaultLocale":"en",
  "legal":{"company":"Acme OU","privacyUrl":"https://acme.test/privacy","consentVersion":"2026-11"},
  "theme":{"primary":"#1f5eff","radius":8,"mode":"auto","logoUrl":null},
  "captcha":{"required":true,"provider":"builtin","siteKey":"kyc_site_ab12","minScore":0.5},
  "dedup":{"enabled":true,"scope":"Zk3v-22","strategy":"document","onMatch":"review"},
  "capture":{"sources":["camera","upload"],"mime":["image/jpeg","image/png","application/pdf"],"maxBytes":5242880,
    "maxEdge":2200,"minEdge":900},
  "handoff":{"enabled":true},"embed":{"allowedOrigins":[]},
  "redirect":{"allowedHosts":[],"autoDelayMs":3000,"appendStatus":false}}`

const proposedWorkflow = `{"v":1,"id":"basic-kyc","version":3,"steps":[
  {"id":"consent","type":"consent","items":[
    {"id":"privacy","required":true,"text":{"en":"I agree ..."},"url":"https://acme.test/privacy"}]},
  {"id":"captcha","type":"captcha"},
  {"id":"person","type":"form","fields":[
    {"id":"givenName","type":"text","autocomplete":"given-name","required":true,"max":100},
    {"id":"familyName","type":"text","autocomplete":"family-name","required":true,"max":100},
    {"id":"dateOfBirth","type":"date","autocomplete":"bday","required":true,"minAge":18},
    {"id":"nationality","type":"country","required":true}]},
  {"id":"doc","type":"document","documents":["passport","id_card","driving_licence","residence_permit"],
    "countries":["*"],"sides":{"passport":1,"id_card":2},"ask":["number","expiry"],"mrz":"optional","dedup":true},
  {"id":"selfie","type":"selfie","prompts":2,"skipIfNoCamera":false},
  {"id":"poa","type":"upload","optional":true,"maxFiles":2},
  {"id":"review","type":"review"}],
  "rules":[
    {"after":"person","if":{"path":"person.nationality","op":"in","value":["XX"]},"then":{"fail":"COUNTRY_NOT_SUPPORTED"}},
    {"after":"doc","if":{"path":"doc.type","op":"eq","value":"passport"},"then":{"skip":["poa"]}}]}`

export const good: ReadonlyArray<Good> = [
  ["config", "{}"],
  ["workflow", "{}"],
  ["config", proposedConfig],
  ["workflow", proposedWorkflow],
  ["config", '{"anything":[1,{"else":null}],"theme":{"font":7}}'],
  ["config", '{"title":{"et":"Tere"},"locales":["et"]}'],
  ["config", '{"title":{"pt-BR":"Olá","zh-Hant-TW":"您好"}}'],
  ["config", '{"theme":{"primary":"#FFFF00","onPrimary":"#000000"}}'],
  ["config", '{"theme":{"logoUrl":"data:image/png;base64,iVBORw0KGgo="}}'],
  ["config", '{"captcha":{"siteKey":null,"minScore":null}}'],
  ["config", '{"captcha":{"provider":"another","minScore":1}}'],
  [
    "config",
    '{"embed":{"allowedOrigins":["https://example.com","http://localhost:5173","https://10.0.0.1:8443"]}}'
  ],
  [
    "config",
    '{"redirect":{"allowedHosts":["shop.example.com","localhost"],"successUrl":"HTTPS://Example.com/a?b#c"}}'
  ],
  ["config", `{"title":{"en":"${"😀".repeat(4000)}"}}`],
  [
    "config",
    '{"checks":{"photos":true,"similarity":true,"sameBrowser":true,"timeZone":"America/Argentina/Buenos_Aires"}}'
  ],
  ["config", '{"checks":{"photos":null,"similarity":null,"timeZone":null}}'],
  ["config", '{"review":{"mode":"none","fourEyes":null,"reasons":[]}}'],
  [
    "config",
    '{"review":{"mode":"manual","fourEyes":true,"reasons":[{"code":"BLURRED","text":"Blurred"},{"code":"too_old-1","text":"Old"}]}}'
  ],
  ["workflow", '{"steps":[],"rules":[]}'],
  ["workflow", step('{"id":"b","type":"liveness","frames":9}')],
  ["workflow", step('{"id":"constructor","type":"constructor"}')],
  ["workflow", field('"type":"text","min":null,"max":null,"label":{"en":"X"},"unknown":true')],
  ["workflow", field('"type":"select","options":[{"value":"1"},{"value":"2","label":{"en":"Two"}}]')],
  ["workflow", when('"path":"a.x","op":"ageLt","value":21')],
  ["workflow", when('"path":"a.x","op":"exists"')],
  ["workflow", when('"path":"a.x","op":"lt","value":"2000-01-01"')],
  ["workflow", when('"path":"d.country","op":"nin","value":["EST",1,true]')],
  ["workflow", `{"steps":[${many(50, (index) => `{"id":"s${index}","type":"form"}`)}]}`]
]

const config = (sentence: string, ...documents: ReadonlyArray<string>) =>
  documents.map((json): Bad => ["config", json, `config.${sentence}`])

const workflow = (sentence: string, ...documents: ReadonlyArray<string>) =>
  documents.map((json): Bad => ["workflow", json, `workflow.${sentence}`])

/** Refused for a rule that JSON Schema cannot express: how parts of a document fit together. */
export const badSense: ReadonlyArray<Bad> = [
  config("defaultLocale must be one of config.locales", '{"defaultLocale":"et","locales":["en","de"]}'),
  config(
    "title must have a text in en, or in every language in use",
    '{"title":{"et":"Tere"},"locales":["et","de"]}'
  ),
  config(
    "theme.onPrimary must have a contrast of at least 4.5 to config.theme.primary",
    '{"theme":{"primary":"#ffff00","onPrimary":"#ffffff"}}'
  ),
  config(
    "captcha.minScore must be at most 0.7, the score of the built-in captcha, unless config.captcha.provider names another",
    '{"captcha":{"minScore":0.71}}',
    '{"captcha":{"provider":"builtin","minScore":1}}'
  ),
  config(
    "capture.mime must have image/jpeg or image/png, which photos are sent as",
    '{"capture":{"mime":["image/webp","application/pdf"]}}',
    '{"capture":{"mime":[]}}'
  ),
  config(
    "embed.allowedOrigins[0] must be an origin like https://example.com",
    '{"embed":{"allowedOrigins":["https://example.com:443"]}}'
  ),
  config(
    "redirect.successUrl must be an http or https URL",
    '{"redirect":{"successUrl":"https://a.example:99999"}}'
  ),
  config(
    "checks.timeZone must be a time zone like Europe/Berlin",
    '{"checks":{"timeZone":"Europe/Nowhere"}}'
  ),
  config(
    "review.reasons[1].code must be unique",
    '{"review":{"reasons":[{"code":"a","text":"A"},{"code":"a","text":"C"}]}}'
  ),
  workflow("steps[1].id must be unique", step('{"id":"a","type":"later"}')),
  workflow(
    "steps[1].fields[1].id must be unique",
    step('{"id":"b","type":"form","fields":[{"id":"x","type":"text"},{"id":"x","type":"date"}]}')
  ),
  workflow(
    "steps[1].fields[0].options[1].value must be unique",
    field('"type":"select","options":[{"value":"1"},{"value":"1"}]')
  ),
  workflow(
    "steps[1].items[1].id must be unique",
    step('{"id":"b","type":"consent","items":[{"id":"i","text":{"en":"A"}},{"id":"i","text":{"en":"A"}}]}')
  ),
  workflow(
    "steps[1].title must have a text in en, or in every language in use",
    '{"steps":[{"id":"a","type":"form","title":{"en":"A","et":"B"}},{"id":"b","type":"later","title":{"et":"C"}}]}'
  ),
  workflow(
    "rules[0].after must be the id of a step",
    rule('{"after":"z","if":{"path":"a.x","op":"exists"},"then":{}}')
  ),
  workflow(
    "rules[0].if.path must lead to a step and a field of it",
    ...["z.x", "a.z", "d.z"].map((path) => when(`"path":"${path}","op":"exists"`))
  ),
  workflow(
    "rules[0].then.skip[1] must be the id of a step",
    rule('{"after":"a","if":{"path":"a.x","op":"exists"},"then":{"skip":["d","z"]}}')
  )
].flat()

/** Refused because of their shape, also by any validator of the JSON Schema. */
export const badShape: ReadonlyArray<Bad> = [
  config("v must be 1", '{"v":2}'),
  config(
    "title must be an object of 1 to 20 texts by language tag, like en or pt-BR",
    '{"title":"Hello"}',
    '{"title":{}}',
    '{"title":{"en":"A","english!":"B"}}'
  ),
  config(
    "title.en must be a string of 1 to 4000 characters",
    '{"title":{"en":""}}',
    `{"title":{"en":"${"x".repeat(4001)}"}}`
  ),
  config('title["pt-BR"] must be a string of 1 to 4000 characters', '{"title":{"pt-BR":7}}'),
  config(
    "locales must be an array of at most 20 language tags",
    '{"locales":"en"}',
    `{"locales":[${many(21, () => "7")}]}`
  ),
  config("locales[1] must be a language tag like en or pt-BR", '{"locales":["en","en_US"]}'),
  config("legal must be an object", '{"legal":null}'),
  config("legal.privacyUrl must be an http or https URL", '{"legal":{"privacyUrl":"acme.test"}}'),
  config("theme.primary must be a colour like #1f5eff", '{"theme":{"primary":"#1f5eff;"}}'),
  config("theme.radius must be a whole number from 0 to 32", '{"theme":{"radius":8.5}}'),
  config("theme.mode must be one of auto, light, dark", '{"theme":{"mode":"neon"}}'),
  config(
    "theme.logoUrl must be an image as a data: URL in base64, at most 100000 characters",
    '{"theme":{"logoUrl":"https://acme.test/logo.png"}}'
  ),
  config("captcha.siteKey must be a string", '{"captcha":{"siteKey":7}}'),
  config("captcha.minScore must be a number from 0 to 1", '{"captcha":{"minScore":1.5}}'),
  config("dedup.onMatch must be one of silent, warn, review, block", '{"dedup":{"onMatch":"shout"}}'),
  config("capture.sources[0] must be one of camera, upload", '{"capture":{"sources":["scanner"]}}'),
  config(
    "capture.mime[1] must be one of image/jpeg, image/png, image/webp, application/pdf",
    '{"capture":{"mime":["image/png","text/html"]}}'
  ),
  config("handoff.enabled must be true or false", '{"handoff":{"enabled":"yes"}}'),
  // These values go into a header unchanged, so no policy parser may read one as several origins.
  config(
    "embed.allowedOrigins[0] must be an origin like https://example.com",
    ...[
      "*",
      "https://example.com/",
      "https://*.example.com",
      "https://A.example",
      "https://user@a.example",
      "https://a.example; script-src *",
      "https://a.example https://b.example",
      "https://a.example,https://b.example",
      "https://a.example\\nx: y",
      "https://a.example\\n",
      "'self'",
      "null",
      "ws://a.example",
      "data:text/html,x"
    ].map((origin) => `{"embed":{"allowedOrigins":["${origin}"]}}`)
  ),
  config(
    "redirect.allowedHosts[0] must be a host name like shop.example.com",
    '{"redirect":{"allowedHosts":["https://a.example"]}}'
  ),
  config(
    "redirect.failureUrl must be an http or https URL",
    '{"redirect":{"failureUrl":"https://user:pw@a.example"}}',
    '{"redirect":{"failureUrl":"javascript:alert(1)"}}'
  ),
  config("review.mode must be one of none, manual", '{"review":{"mode":"auto"}}'),
  config(
    "checks.timeZone must be a time zone like Europe/Berlin",
    ...["+02:00", "", "Europe/", "Europe/Berlin\\n"].map((zone) => `{"checks":{"timeZone":"${zone}"}}`)
  ),
  config(
    "review.reasons[0].code must be a letter and then up to 63 letters, digits, underscores or hyphens",
    '{"review":{"reasons":[{"code":"a b","text":"A"}]}}'
  ),
  config(
    "review.reasons[0].text must be a string of 1 to 200 characters",
    '{"review":{"reasons":[{"code":"a"}]}}'
  ),
  config(
    "review.reasons must be an array of at most 50 reasons",
    `{"review":{"reasons":[${many(51, (index) => `{"code":"r${index}","text":"R"}`)}]}}`
  ),
  workflow(
    "steps must be an array of at most 50 steps",
    '{"steps":{}}',
    `{"steps":[${many(51, (index) => `{"id":"s${index}","type":"form"}`)}]}`
  ),
  workflow("steps[1] must be an object", step('"form"')),
  workflow(
    "steps[1].type must be the name of a type of step, like form",
    step('{"id":"b"}'),
    step('{"id":"b","type":7}')
  ),
  workflow(
    "steps[1].id must be a letter and then up to 63 letters, digits, underscores or hyphens",
    step('{"type":"form"}'),
    step('{"id":"1b","type":"later"}')
  ),
  workflow("steps[1].optional must be true or false", step('{"id":"b","type":"form","optional":1}')),
  workflow(
    "steps[1].fields[0].type must be one of text, date, country, select",
    field('"type":"number"'),
    field('"max":1')
  ),
  workflow("steps[1].fields[0].options must be an array of at most 300 options", field('"type":"select"')),
  workflow(
    "steps[1].fields must be an array of at most 100 fields",
    step(`{"id":"b","type":"form","fields":[${many(101, (index) => `{"id":"f${index}","type":"text"}`)}]}`)
  ),
  workflow(
    "steps[1].items[0].text must be an object of 1 to 20 texts by language tag, like en or pt-BR",
    step('{"id":"b","type":"consent","items":[{"id":"i"}]}')
  ),
  workflow(
    "steps[1].documents[0] must be one of passport, id_card, driving_licence, residence_permit",
    step('{"id":"b","type":"document","documents":["visa"]}')
  ),
  workflow(
    "steps[1].sides.passport must be one of 1, 2",
    step('{"id":"b","type":"document","sides":{"passport":3}}')
  ),
  workflow(
    "steps[1].countries[0] must be an ISO 3166 code of three letters like EST, or *",
    step('{"id":"b","type":"document","countries":["EE"]}')
  ),
  workflow(
    "steps[1].prompts must be a whole number from 0 to 4",
    step('{"id":"b","type":"selfie","prompts":5}')
  ),
  workflow("rules[0].if must be an object", rule('{"after":"a","then":{}}')),
  workflow(
    "rules[0].if.op must be one of eq, ne, in, nin, lt, gt, exists, ageLt",
    when('"path":"a.x","op":"like","value":1')
  ),
  workflow(
    "rules[0].if.value must be an array of at most 300 values",
    when('"path":"a.x","op":"in","value":"EST"')
  ),
  workflow(
    "rules[0].if.value must be a string, a number, true or false",
    when('"path":"a.x","op":"eq","value":null')
  ),
  workflow(
    "rules[0].if.path must be a step's id and a field's like person.nationality",
    when('"path":"a","op":"exists"')
  ),
  workflow(
    "rules[0].then.fail must be a code in capitals like COUNTRY_NOT_SUPPORTED",
    rule('{"after":"a","if":{"path":"a.x","op":"exists"},"then":{"fail":"no way"}}')
  ),
  // If there are several errors, the first in document order counts.
  config("theme.mode must be one of auto, light, dark", '{"theme":{"mode":1,"primary":1},"v":2}'),
  workflow("rules[0] must be an object", '{"rules":[1],"steps":[1]}')
].flat()

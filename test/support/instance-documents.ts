/** Configs and workflows, good and bad, as JSON: what is said of each, and whether a JSON Schema can say it. */

type Kind = "config" | "workflow"

/** One that is accepted. */
export type Good = readonly [kind: Kind, json: string]

/** One that is refused, and the sentence. */
export type Bad = readonly [kind: Kind, json: string, sentence: string]

const step = (fields: string) => `{"steps":[{"id":"a","type":"form"},${fields}]}`
const field = (fields: string) => step(`{"id":"b","type":"form","fields":[{"id":"x",${fields}}]}`)
const rule = (rule: string) =>
  `{"steps":[{"id":"a","type":"form","fields":[{"id":"x","type":"date"}]},{"id":"d","type":"document"}],"rules":[${rule}]}`
const when = (condition: string) => rule(`{"after":"a","if":{${condition}},"then":{}}`)
const many = (count: number, item: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => item(index))

/** Sections 3.1 and 3.2 of the research this format comes from. */
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
  ["config", '{"theme":{"primary":"#777777"}}'],
  ["config", '{"theme":{"logoUrl":"data:image/png;base64,iVBORw0KGgo="}}'],
  ["config", '{"captcha":{"siteKey":"","minScore":0}}'],
  ["config", '{"captcha":{"siteKey":null,"minScore":null}}'],
  [
    "config",
    '{"embed":{"allowedOrigins":["https://example.com","http://localhost:5173","https://10.0.0.1:8443"]}}'
  ],
  [
    "config",
    '{"redirect":{"allowedHosts":["shop.example.com","localhost"],"successUrl":"HTTPS://Example.com/a?b#c"}}'
  ],
  ["config", `{"title":{"en":"${"😀".repeat(4000)}"}}`],
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

/** Refused by their shape: by every reader of the JSON Schema, too. */
export const badShape: ReadonlyArray<Bad> = [
  ["config", '{"v":2}', "config.v must be 1"],
  [
    "config",
    '{"title":"Hello"}',
    "config.title must be an object of 1 to 20 texts by language tag, like en or pt-BR"
  ],
  [
    "config",
    '{"title":{}}',
    "config.title must be an object of 1 to 20 texts by language tag, like en or pt-BR"
  ],
  [
    "config",
    '{"title":{"en":"A","english!":"B"}}',
    "config.title must be an object of 1 to 20 texts by language tag, like en or pt-BR"
  ],
  ["config", '{"title":{"en":""}}', "config.title.en must be a string of 1 to 4000 characters"],
  ["config", '{"title":{"pt-BR":7}}', 'config.title["pt-BR"] must be a string of 1 to 4000 characters'],
  [
    "config",
    `{"title":{"en":"${"x".repeat(4001)}"}}`,
    "config.title.en must be a string of 1 to 4000 characters"
  ],
  ["config", '{"locales":"en"}', "config.locales must be an array of at most 20 language tags"],
  [
    "config",
    `{"locales":[${many(21, () => '"en"')}]}`,
    "config.locales must be an array of at most 20 language tags"
  ],
  [
    "config",
    `{"locales":[${many(21, () => "7")}]}`,
    "config.locales must be an array of at most 20 language tags"
  ],
  ["config", '{"locales":["en","en_US"]}', "config.locales[1] must be a language tag like en or pt-BR"],
  ["config", '{"legal":null}', "config.legal must be an object"],
  ["config", '{"legal":{"privacyUrl":"acme.test"}}', "config.legal.privacyUrl must be an http or https URL"],
  ["config", '{"theme":{"primary":"blue"}}', "config.theme.primary must be a colour like #1f5eff"],
  ["config", '{"theme":{"primary":"#1f5eff;"}}', "config.theme.primary must be a colour like #1f5eff"],
  ["config", '{"theme":{"radius":8.5}}', "config.theme.radius must be a whole number from 0 to 32"],
  ["config", '{"theme":{"mode":"neon"}}', "config.theme.mode must be one of auto, light, dark"],
  [
    "config",
    '{"theme":{"logoUrl":"https://acme.test/logo.png"}}',
    "config.theme.logoUrl must be an image as a data: URL in base64, at most 100000 characters"
  ],
  ["config", '{"captcha":{"minScore":1.5}}', "config.captcha.minScore must be a number from 0 to 1"],
  [
    "config",
    '{"dedup":{"onMatch":"shout"}}',
    "config.dedup.onMatch must be one of silent, warn, review, block"
  ],
  [
    "config",
    '{"capture":{"sources":["scanner"]}}',
    "config.capture.sources[0] must be one of camera, upload"
  ],
  ["config", '{"handoff":{"enabled":"yes"}}', "config.handoff.enabled must be true or false"],
  [
    "config",
    '{"embed":{"allowedOrigins":["https://example.com/"]}}',
    "config.embed.allowedOrigins[0] must be an origin like https://example.com"
  ],
  [
    "config",
    '{"embed":{"allowedOrigins":["https://a.example","*"]}}',
    "config.embed.allowedOrigins[1] must be an origin like https://example.com"
  ],
  [
    "config",
    '{"redirect":{"allowedHosts":["https://a.example"]}}',
    "config.redirect.allowedHosts[0] must be a host name like shop.example.com"
  ],
  [
    "config",
    '{"redirect":{"failureUrl":"https://user:pw@a.example"}}',
    "config.redirect.failureUrl must be an http or https URL"
  ],
  ["workflow", '{"steps":{}}', "workflow.steps must be an array of at most 50 steps"],
  [
    "workflow",
    `{"steps":[${many(51, (index) => `{"id":"s${index}","type":"form"}`)}]}`,
    "workflow.steps must be an array of at most 50 steps"
  ],
  ["workflow", step('"form"'), "workflow.steps[1] must be an object"],
  ["workflow", step('{"id":"b"}'), "workflow.steps[1].type must be the name of a type of step, like form"],
  [
    "workflow",
    step('{"id":"b","type":7}'),
    "workflow.steps[1].type must be the name of a type of step, like form"
  ],
  [
    "workflow",
    step('{"type":"form"}'),
    "workflow.steps[1].id must be a letter and then up to 63 letters, digits, underscores or hyphens"
  ],
  [
    "workflow",
    step('{"id":"1b","type":"later"}'),
    "workflow.steps[1].id must be a letter and then up to 63 letters, digits, underscores or hyphens"
  ],
  [
    "workflow",
    step('{"id":"b","type":"form","optional":1}'),
    "workflow.steps[1].optional must be true or false"
  ],
  [
    "workflow",
    field('"type":"number"'),
    "workflow.steps[1].fields[0].type must be one of text, date, country, select"
  ],
  [
    "workflow",
    field('"max":1'),
    "workflow.steps[1].fields[0].type must be one of text, date, country, select"
  ],
  [
    "workflow",
    field('"type":"select"'),
    "workflow.steps[1].fields[0].options must be an array of at most 300 options"
  ],
  [
    "workflow",
    step(`{"id":"b","type":"form","fields":[${many(101, (index) => `{"id":"f${index}","type":"text"}`)}]}`),
    "workflow.steps[1].fields must be an array of at most 100 fields"
  ],
  [
    "workflow",
    step('{"id":"b","type":"consent","items":[{"id":"i"}]}'),
    "workflow.steps[1].items[0].text must be an object of 1 to 20 texts by language tag, like en or pt-BR"
  ],
  [
    "workflow",
    step('{"id":"b","type":"document","documents":["visa"]}'),
    "workflow.steps[1].documents[0] must be one of passport, id_card, driving_licence, residence_permit"
  ],
  [
    "workflow",
    step('{"id":"b","type":"document","sides":{"passport":3}}'),
    "workflow.steps[1].sides.passport must be one of 1, 2"
  ],
  [
    "workflow",
    step('{"id":"b","type":"document","countries":["EE"]}'),
    "workflow.steps[1].countries[0] must be an ISO 3166 code of three letters like EST, or *"
  ],
  [
    "workflow",
    step('{"id":"b","type":"selfie","prompts":5}'),
    "workflow.steps[1].prompts must be a whole number from 0 to 4"
  ],
  ["workflow", rule('{"after":"a","then":{}}'), "workflow.rules[0].if must be an object"],
  [
    "workflow",
    when('"path":"a.x","op":"like","value":1'),
    "workflow.rules[0].if.op must be one of eq, ne, in, nin, lt, gt, exists, ageLt"
  ],
  [
    "workflow",
    when('"path":"a.x","op":"in","value":"EST"'),
    "workflow.rules[0].if.value must be an array of at most 300 values"
  ],
  [
    "workflow",
    when('"path":"a.x","op":"eq","value":null'),
    "workflow.rules[0].if.value must be a string, a number, true or false"
  ],
  [
    "workflow",
    when('"path":"a","op":"exists"'),
    "workflow.rules[0].if.path must be a step's id and a field's like person.nationality"
  ],
  [
    "workflow",
    rule('{"after":"a","if":{"path":"a.x","op":"exists"},"then":{"fail":"no way"}}'),
    "workflow.rules[0].then.fail must be a code in capitals like COUNTRY_NOT_SUPPORTED"
  ],
  // Of several, the first in document order.
  ["config", '{"theme":{"mode":1,"primary":1},"v":2}', "config.theme.mode must be one of auto, light, dark"],
  ["config", '{"v":2,"theme":{"primary":1}}', "config.v must be 1"],
  ["workflow", '{"rules":[1],"steps":[1]}', "workflow.rules[0] must be an object"],
  [
    "workflow",
    step('{"type":"upload","maxFiles":0}'),
    "workflow.steps[1].id must be a letter and then up to 63 letters, digits, underscores or hyphens"
  ]
]

/** Refused for what no JSON Schema says: how parts of a document go together. */
export const badSense: ReadonlyArray<Bad> = [
  [
    "config",
    '{"defaultLocale":"et","locales":["en","de"]}',
    "config.defaultLocale must be one of config.locales"
  ],
  [
    "config",
    '{"title":{"et":"Tere"},"locales":["et","de"]}',
    "config.title must have a text in en, or in every language in use"
  ],
  [
    "config",
    '{"theme":{"primary":"#ffff00","onPrimary":"#ffffff"}}',
    "config.theme.onPrimary must have a contrast of at least 4.5 to config.theme.primary"
  ],
  [
    "config",
    '{"embed":{"allowedOrigins":["https://example.com:443"]}}',
    "config.embed.allowedOrigins[0] must be an origin like https://example.com"
  ],
  [
    "config",
    '{"redirect":{"successUrl":"https://a.example:99999"}}',
    "config.redirect.successUrl must be an http or https URL"
  ],
  ["workflow", step('{"id":"a","type":"later"}'), "workflow.steps[1].id must be unique"],
  [
    "workflow",
    step('{"id":"b","type":"form","fields":[{"id":"x","type":"text"},{"id":"x","type":"date"}]}'),
    "workflow.steps[1].fields[1].id must be unique"
  ],
  [
    "workflow",
    field('"type":"select","options":[{"value":"1"},{"value":"1"}]'),
    "workflow.steps[1].fields[0].options[1].value must be unique"
  ],
  [
    "workflow",
    step('{"id":"b","type":"consent","items":[{"id":"i","text":{"en":"A"}},{"id":"i","text":{"en":"A"}}]}'),
    "workflow.steps[1].items[1].id must be unique"
  ],
  [
    "workflow",
    '{"steps":[{"id":"a","type":"form","title":{"en":"A","et":"B"}},{"id":"b","type":"later","title":{"et":"C"}}]}',
    "workflow.steps[1].title must have a text in en, or in every language in use"
  ],
  [
    "workflow",
    rule('{"after":"z","if":{"path":"a.x","op":"exists"},"then":{}}'),
    "workflow.rules[0].after must be the id of a step"
  ],
  [
    "workflow",
    when('"path":"z.x","op":"exists"'),
    "workflow.rules[0].if.path must lead to a step and a field of it"
  ],
  [
    "workflow",
    when('"path":"a.z","op":"exists"'),
    "workflow.rules[0].if.path must lead to a step and a field of it"
  ],
  [
    "workflow",
    when('"path":"d.z","op":"exists"'),
    "workflow.rules[0].if.path must lead to a step and a field of it"
  ],
  [
    "workflow",
    rule('{"after":"a","if":{"path":"a.x","op":"exists"},"then":{"skip":["d","z"]}}'),
    "workflow.rules[0].then.skip[1] must be the id of a step"
  ]
]

import { type Bad, field, many, rule, step, when } from "./instance-documents.ts"

/** Refused because of their shape, also by any validator of the JSON Schema. */
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
  [
    "config",
    '{"capture":{"mime":["image/png","text/html"]}}',
    "config.capture.mime[1] must be one of image/jpeg, image/png, image/webp, application/pdf"
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
  // These values go into a header unchanged, so no policy parser may read one as several origins.
  ...[
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
    "https:",
    "ws://a.example",
    "data:text/html,x"
  ].map(
    (origin): Bad => [
      "config",
      `{"embed":{"allowedOrigins":["${origin}"]}}`,
      "config.embed.allowedOrigins[0] must be an origin like https://example.com"
    ]
  ),
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
  ["config", '{"review":{"mode":"auto"}}', "config.review.mode must be one of none, manual"],
  ["config", '{"checks":{"photos":"yes"}}', "config.checks.photos must be true or false"],
  ...["+02:00", "", "Europe/", "Europe/Berlin\\n"].map(
    (timeZone): Bad => [
      "config",
      `{"checks":{"timeZone":"${timeZone}"}}`,
      "config.checks.timeZone must be a time zone like Europe/Berlin"
    ]
  ),
  ["config", '{"review":{"fourEyes":1}}', "config.review.fourEyes must be true or false"],
  [
    "config",
    '{"review":{"reasons":[{"code":"a b","text":"A"}]}}',
    "config.review.reasons[0].code must be a letter and then up to 63 letters, digits, underscores or hyphens"
  ],
  [
    "config",
    '{"review":{"reasons":[{"code":"a"}]}}',
    "config.review.reasons[0].text must be a string of 1 to 200 characters"
  ],
  [
    "config",
    `{"review":{"reasons":[${many(51, (index) => `{"code":"r${index}","text":"R"}`)}]}}`,
    "config.review.reasons must be an array of at most 50 reasons"
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
  // If there are several errors, the first in document order counts.
  ["config", '{"theme":{"mode":1,"primary":1},"v":2}', "config.theme.mode must be one of auto, light, dark"],
  ["config", '{"v":2,"theme":{"primary":1}}', "config.v must be 1"],
  ["workflow", '{"rules":[1],"steps":[1]}', "workflow.rules[0] must be an object"],
  [
    "workflow",
    step('{"type":"upload","maxFiles":0}'),
    "workflow.steps[1].id must be a letter and then up to 63 letters, digits, underscores or hyphens"
  ]
]

/** What the process that looks at photos sees in one. */
import { Schema } from "effect"

/** A part that needs a library that is not installed. */
const Missing = Schema.Struct({ found: Schema.Literal("no library") })

const Nothing = Schema.Struct({ found: Schema.Literal("nothing") })

const maybeText = Schema.optional(Schema.String)

/** As in `zone-model`. */
export const ZoneSeen = Schema.Struct({
  found: Schema.Literal("zone"),
  format: Schema.Literal("TD1", "TD2", "TD3"),
  lines: Schema.Array(Schema.String),
  fields: Schema.Struct({
    document_number: maybeText,
    issuer: maybeText,
    nationality: maybeText,
    surname: maybeText,
    given_names: maybeText,
    birth_date: maybeText,
    sex: Schema.optional(Schema.Literal("F", "M")),
    expiry_date: maybeText
  }),
  /** By field, from 0 to 1. */
  confidence: Schema.Record({ key: Schema.String, value: Schema.Number }),
  check_digits: Schema.Struct({
    right: Schema.Number,
    of: Schema.Number,
    wrong: Schema.Array(Schema.String)
  }),
  /** The names take the whole line, so they may have been cut. */
  names_full: Schema.Boolean
})
export type ZoneSeen = typeof ZoneSeen.Type

export const BarcodeSeen = Schema.Struct({
  found: Schema.Literal("barcode"),
  format: Schema.Literal("PDF417", "QRCode", "DataMatrix"),
  /** Undefined unless it is the barcode of a North American driving licence (AAMVA). */
  fields: Schema.optional(
    Schema.Struct({
      document_number: maybeText,
      issuer: maybeText,
      /** As zones write it. */
      country: maybeText,
      surname: maybeText,
      given_names: maybeText,
      birth_date: maybeText,
      expiry_date: maybeText
    })
  )
})
export type BarcodeSeen = typeof BarcodeSeen.Type

export const FaceSeen = Schema.Struct({
  /** In pixels of the photo: from the eyebrows to the chin, and from ear to ear. */
  width: Schema.Number,
  height: Schema.Number,
  /** By how many degrees it is turned to the person's left, estimated; negative: to the right. */
  turn: Schema.Number
})
export type FaceSeen = typeof FaceSeen.Type

/** The largest first. */
const FacesSeen = Schema.Struct({ found: Schema.Literal("faces"), faces: Schema.Array(FaceSeen) })

/** What the operator's network makes of the largest face of a photo. */
const FaceVector = Schema.Union(
  Missing,
  /** The network cannot be loaded, or gives something else. */
  Schema.Struct({ found: Schema.Literal("no network") }),
  Nothing,
  Schema.Struct({ found: Schema.Literal("vector"), values: Schema.Array(Schema.Number) })
)

export const Quality = Schema.Struct({
  width: Schema.Number,
  height: Schema.Number,
  /** The variance of the Laplacian of the picture at 1,000 pixels: low if it is blurred. */
  sharpness: Schema.Number,
  /** The mean, from 0 (black) to 255. */
  brightness: Schema.Number,
  /** The share of pixels that are white because of too much light, from 0 to 1. */
  glare: Schema.Number
})
export type Quality = typeof Quality.Type

/** What was seen in a photo, or why nothing was. */
export const Look = Schema.Union(
  Missing,
  Schema.Struct({ found: Schema.Literal("no picture") }),
  Schema.Struct({
    found: Schema.Literal("picture"),
    quality: Quality,
    /** Its perceptual hash (`bands-model`); undefined if it is too uniform. */
    hash: Schema.optional(Schema.String),
    zone: Schema.Union(Missing, Nothing, ZoneSeen),
    barcode: Schema.Union(Missing, Nothing, BarcodeSeen),
    /** Nothing unless faces were looked for. */
    faces: Schema.Union(Missing, Nothing, FacesSeen),
    /** Nothing if there is no face, or none is to be compared. */
    vector: FaceVector
  })
)
export type Look = typeof Look.Type

const Shows = Schema.Literal("document", "other", "selfie")
export type Shows = typeof Shows.Type

/** A photo that the process is to look at. */
export const Asked = Schema.Struct({
  number: Schema.Number,
  content: Schema.Uint8ArrayFromSelf,
  /** Of a document, the zone or barcode is read; of a selfie, the faces are counted. */
  shows: Shows,
  /** To tell the century of a birth. */
  thisYear: Schema.Number,
  /** The ONNX file with the network that compares faces; undefined if none are to be compared. */
  faceModel: Schema.UndefinedOr(Schema.String)
})

export type Asked = typeof Asked.Type

/** Its answer. */
export const Answered = Schema.Struct({ number: Schema.Number, look: Look })

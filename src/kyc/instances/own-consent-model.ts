/** The page shows this text and the server knows it, so this file imports nothing. */

/** What the page asks for, by language, if the workflow has no consent items of its own. */
export const ownConsent = {
  en: "I agree that my personal details and images of my document are processed to verify my identity.",
  de: "Ich stimme zu, dass meine persönlichen Daten und Bilder meines Dokuments verarbeitet werden, um meine Identität zu prüfen.",
  fr: "J’accepte que mes données personnelles et les images de mon document soient traitées pour vérifier mon identité.",
  es: "Acepto que mis datos personales y las imágenes de mi documento se traten para verificar mi identidad.",
  et: "Nõustun, et minu isikuandmeid ja dokumendi pilte töödeldakse minu isiku kontrollimiseks.",
  ar: "أوافق على معالجة بياناتي الشخصية وصور وثيقتي للتحقق من هويتي."
} as const

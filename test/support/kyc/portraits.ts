/** Photos of people, and one of nobody (`portraits/README.md` says where they are from). */
import sharp from "sharp"

/** Pixels of each side. */
export const side = 512

const portrait = (name: string) => sharp(`${import.meta.dirname}/portraits/${name}.jpg`).toColourspace("srgb")

/** She looks straight into the camera. */
export const astronaut = () => portrait("astronaut")

/** In profile, turned to his left. */
export const photographer = () => portrait("photographer")

export const nobody = () =>
  sharp({
    create: {
      width: side,
      height: side,
      channels: 3,
      background: "#808080",
      noise: { type: "gaussian", mean: 128, sigma: 40 }
    }
  })

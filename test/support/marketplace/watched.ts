/** The document, and how many times any part of it was accessed. */
export const watched = <A>(document: A) => {
  let looks = 0
  const look = <B>(value: B): B =>
    typeof value === "object" && value !== null
      ? new Proxy(value, {
          get: (target, key, receiver) => {
            looks++
            return look(Reflect.get(target, key, receiver))
          },
          has: (target, key) => {
            looks++
            return Reflect.has(target, key)
          },
          ownKeys: (target) => {
            const keys = Reflect.ownKeys(target)
            looks += keys.length
            return keys
          }
        })
      : value
  return { document: look(document), looks: () => looks }
}

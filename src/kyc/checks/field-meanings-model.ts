/** What questions ask for. Imports nothing, because the hosted page and the dashboard load it. */

interface Question {
  readonly id: string
  readonly autocomplete?: string | null | undefined
}

/** Which field of a document a question asks for. The hosted page's own ids, and the browser's names for what it may fill in. */
export const meaningOf = ({
  autocomplete,
  id
}: Question): "birth_date" | "given_names" | "nationality" | "surname" | undefined => {
  if (autocomplete === "given-name" || /^(?:given|first)_?names?$/i.test(id)) return "given_names"
  if (autocomplete === "family-name" || /^(?:family_?name|last_?name|surname)$/i.test(id)) return "surname"
  if (autocomplete === "bday" || /^(?:date[_-]?of[_-]?birth|birth[_-]?(?:date|day)|dob)$/i.test(id))
    return "birth_date"
  return /^nationality$/i.test(id) ? "nationality" : undefined
}

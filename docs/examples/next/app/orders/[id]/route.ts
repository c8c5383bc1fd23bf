import { doorlock, isVerified, sessions } from "../../../shop.ts"

/** Where the customer comes back to. A real shop has a page here, which reads the session the same way. */
export const GET = async (
  _: Request,
  { params }: { readonly params: Promise<{ readonly id: string }> }
): Promise<Response> => {
  const id = sessions.get((await params).id)
  if (id === undefined) return new Response(null, { status: 404 })
  const { session } = await doorlock.sessions.get(id)
  return new Response(isVerified(session) ? "You are verified." : "You can order when we have verified you.")
}

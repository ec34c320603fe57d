// Who asks: a number that nobody can guess, in a cookie that no script reads and no other site
// sends. A real server signs its users in.
const cookie = 'session'
const sessions = new Set<string>()
const mostSessions = 10_000

/** The page with a new session, unless the browser has one. */
export function withSession(request: Request, page: Response): Response {
  if (principalOf(request) !== undefined) return page
  const session = crypto.randomUUID()
  sessions.add(session)
  const [oldest] = sessions
  if (oldest !== undefined && sessions.size > mostSessions) sessions.delete(oldest)
  page.headers.append('set-cookie', `${cookie}=${session}; HttpOnly; SameSite=Strict; Path=/`)
  return page
}

/** Whose session it is; undefined for one that this server did not begin. */
export function principalOf(request: Request): string | undefined {
  const pairs = (request.headers.get('cookie') ?? '').split(/; */).map((pair) => pair.split('='))
  const session = pairs.find(([name]) => name === cookie)?.[1]
  return session !== undefined && sessions.has(session) ? session : undefined
}

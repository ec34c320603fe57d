// What all drivers in JavaScript share: the cases in, what the user saw out. It knows no client.

/** @type {(url: string, body: unknown) => Promise<any>} */
const post = async (url, body) => {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  const reply = await response.json()
  if (!response.ok) throw new Error(`${url}: ${reply.error}`)
  return reply
}

/** Rejections that a client handles nowhere would end the program of its user. */
const unhandled = []
process.on('unhandledRejection', (thrown) => unhandled.push(thrown))
const rejections = () => new Promise((resolve) => setTimeout(resolve, 10))

/**
 * Runs each case of the suite, one after the other. `converse` asks its client what the case says,
 * and appends a turn to `turns` for each reply, before it comes, so that what was seen of a reply
 * that failed stays there. It throws what its client throws. `cannotAsk` gives the reason why a
 * case cannot be asked, if there is one.
 */
export async function drive(suite, { cannotAsk = () => undefined, ...client }, converse) {
  const { cases, observations } = await post(`${suite}/runs`, client)
  for (const one of cases) {
    const notApplicable = cannotAsk(one)
    if (notApplicable !== undefined) {
      await post(observations, { case: one.id, notApplicable })
      continue
    }
    const turns = []
    let error
    try {
      await converse(one, turns)
    } catch (thrown) {
      error = seen(thrown)
    }
    await rejections()
    const [late] = unhandled.splice(0)
    if (late && !error) error = seen(late)
    await post(observations, { case: one.id, turns, error })
  }
}

/** An error as a user meets it: its message, and its status and name where it has them. */
function seen(thrown) {
  const status = thrown.status ?? thrown.statusCode ?? thrown.status_code ?? thrown.cause?.status
  const message = String(thrown.message ?? thrown)
  return {
    message,
    kind: String(thrown.code ?? thrown.name ?? ''),
    ...(typeof status === 'number' && { status }),
  }
}

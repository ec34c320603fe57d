// A call whose outcome nobody knows: the user looks at its receiver, and says what became of it.

/** The data of a part `data-waiting`. */
export interface Unsettled {
  readonly kind: 'approval' | 'uncertain' | 'work'
  readonly requestId: string
  readonly reason?: string
  readonly digest?: string
  readonly settled?: boolean
}

export function Waiting({ chatId, request }: { chatId: string; request: Unsettled }) {
  const { kind, requestId, reason, digest, settled } = request
  if (settled) return null
  const decide = (decision: object): void =>
    void fetch(`/api/chat/${chatId}/decisions`, {
      method: 'POST',
      body: JSON.stringify({ requestId, digest, ...decision }),
    })
  return (
    <section aria-label={`waiting: ${kind}`}>
      <p>{reason}</p>
      {kind === 'approval' && (
        <>
          <button onClick={() => decide({ approved: true })}>Allow</button>
          <button onClick={() => decide({ approved: false })}>Deny</button>
        </>
      )}
      {kind === 'uncertain' && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            const { result } = Object.fromEntries(new FormData(event.currentTarget))
            decide({ outcome: 'happened', result })
          }}
        >
          <input name="result" aria-label="What its receiver says" required />
          <button>It happened</button>
          <button type="button" onClick={() => decide({ outcome: 'did-not-happen' })}>
            It did not happen: do it
          </button>
          <button type="button" onClick={() => decide({ outcome: 'unknown' })}>
            Nobody knows
          </button>
        </form>
      )}
    </section>
  )
}

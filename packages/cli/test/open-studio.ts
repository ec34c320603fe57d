import type { RunRecord } from '@modelport/studio'
import { expect } from 'vitest'
import { type Running, startCommand, type World } from './test-io.js'

/** The command `studio`, with the session that its page would have. */
export interface OpenedStudio {
  readonly running: Running
  /** The address that was printed. */
  readonly url: string
  ask<Value>(path: string, body?: unknown): Promise<Value>
  /** The run once it is over and kept. */
  settled(id: string): Promise<RunRecord>
}

/** Starts the command, and takes the session that its page would take. */
export async function openStudio(args: readonly string[], world: World): Promise<OpenedStudio> {
  let seen = ''
  const running = startCommand(['studio', '--json', ...args], {
    ...world,
    onOutput: (text) => (seen += text),
  })
  await expect.poll(() => seen, { interval: 10 }).toContain('"url"')
  const { url } = JSON.parse(seen) as { readonly url: string }
  const { origin, hash } = new URL(url)
  let session = ''
  const ask = async <Value>(path: string, body?: unknown): Promise<Value> => {
    const response = await fetch(`${origin}${path}`, {
      headers: { 'x-modelport-session': session },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    })
    return (await response.json()) as Value
  }
  session = (await ask<{ session: string }>('/api/session', { token: hash.replace('#token=', '') }))
    .session
  const settled = async (id: string): Promise<RunRecord> => {
    // The stream of events ends with the run.
    const events = await fetch(`${origin}/api/runs/${id}/events`, {
      headers: { 'x-modelport-session': session },
    })
    await events.text()
    await expect
      .poll(() => ask(`/api/runs/${id}`), { interval: 10 })
      .not.toMatchObject({ status: 'running' })
    return ask<RunRecord>(`/api/runs/${id}`)
  }
  return { running, url, ask, settled }
}

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ServedStudio } from '../src/node.js'
import { hasBrowser, launch, openPage, startStudio } from './support.js'

/** The options of `fetch` that the attempts use, as plain JSON. */
interface Attempt {
  readonly method?: 'POST'
  readonly body?: string
  readonly mode?: 'no-cors'
  readonly headers?: Record<string, string>
}

/**
 * What became of a request of another origin: its response was read, it was sent, or the browser or
 * the studio stopped it.
 */
type Outcome = 'read' | 'blocked' | 'sent'

describe.skipIf(!hasBrowser)(
  'a page of another origin, in the same browser as an open studio',
  () => {
    let browser: Browser
    let studio: ServedStudio
    let other: Server
    let evil: Page
    let session: string

    beforeAll(async () => {
      // As after DNS rebinding: the name of the attacker leads to this machine.
      browser = await launch('--host-resolver-rules=MAP evil.example 127.0.0.1')
      studio = await startStudio()
      const { page } = await openPage(browser, studio)
      session = await page.evaluate(() => localStorage.getItem('modelport-session') ?? '')
      other = createServer((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html' })
        response.end('<!doctype html><title>other</title>')
      })
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
      // In the same profile: it shares what the browser keeps for a host, but not what it keeps for
      // an origin.
      evil = await page.context().newPage()
      await evil.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`)
    })
    afterAll(async () => {
      await browser.close()
      await studio.close()
      await new Promise<void>((resolve) => other.close(() => resolve()))
    })

    const origin = (): string => new URL(studio.url).origin
    const runs = async (): Promise<number> => {
      const response = await fetch(`${origin()}/api/runs`, {
        headers: { 'x-modelport-session': session },
      })
      return ((await response.json()) as unknown[]).length
    }
    const body = JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'Hi' }] })

    const attempts: readonly (readonly [string, Attempt])[] = [
      ['read the runs', {}],
      ['start a run with a simple request of text/plain', { method: 'POST', body }],
      ['start a run with an opaque request', { method: 'POST', body, mode: 'no-cors' }],
      [
        'ask in a preflight whether it may send the session header',
        { method: 'POST', body, headers: { 'x-modelport-session': 'x' } },
      ],
    ]
    test.each(attempts)('a page of another origin cannot %s', async (_what, init) => {
      const outcome = await evil.evaluate(
        async ([url, options]): Promise<Outcome> => {
          try {
            const response = await fetch(url, options)
            return response.type === 'opaque' ? 'sent' : 'read'
          } catch {
            return 'blocked'
          }
        },
        [`${origin()}/api/runs`, init] as const,
      )
      expect(outcome).toBe('blocked')
      expect(await runs()).toBe(0)
    })

    test.each(['application/json', 'application/x-protobuf', 'text/plain'])(
      'a page of another origin cannot send spans as %s, even with the token of programs',
      async (type) => {
        const { origin: to, hash } = new URL(studio.programUrl)
        const spans = {
          traceId: '1'.repeat(32),
          spanId: '1'.repeat(16),
          startTimeUnixNano: '1',
          endTimeUnixNano: '2',
        }
        const attributes = [{ key: 'gen_ai.operation.name', value: { stringValue: 'chat' } }]
        const outcome = await evil.evaluate(
          async ([url, token, contentType, text]): Promise<Outcome> => {
            try {
              const headers = { authorization: `Bearer ${token}`, 'content-type': contentType }
              await fetch(url, {
                method: 'POST',
                body: text,
                ...(contentType === 'text/plain' ? {} : { headers }),
              })
              return 'read'
            } catch {
              return 'blocked'
            }
          },
          [
            `${to}/v1/traces`,
            hash.slice(1),
            type,
            JSON.stringify({
              resourceSpans: [{ scopeSpans: [{ spans: [{ ...spans, attributes }] }] }],
            }),
          ] as const,
        )
        expect(outcome).toBe('blocked')
        expect(await runs()).toBe(0)
      },
    )

    test('a page of another origin cannot start a run with a form', async () => {
      const page = await browser.newPage()
      await page.goto(evil.url())
      const answered = page.waitForResponse((response) => response.url().startsWith(origin()))
      await page.evaluate(
        ([url, text]) => {
          document.body.innerHTML = `<form method="post" enctype="text/plain" action="${url}"><input name="x"></form>`
          const form = document.forms[0]!
          form.querySelector('input')!.value = text
          form.submit()
        },
        [`${origin()}/api/runs`, body] as const,
      )
      expect((await answered).status()).toBe(403)
      expect(await runs()).toBe(0)
      await page.close()
    })

    test('a page of another origin cannot open an event stream or a web socket, or load an image, a script or a style', async () => {
      const opened = await evil.evaluate(async (address) => {
        const settled = (target: EventTarget, good: string): Promise<boolean> =>
          new Promise((resolve) => {
            target.addEventListener(good, () => resolve(true))
            target.addEventListener('error', () => resolve(false))
          })
        const added = (
          name: 'img' | 'script' | 'link',
          attributes: Record<string, string>,
        ): Promise<boolean> => {
          const element = Object.assign(document.createElement(name), attributes)
          const result = settled(element, 'load')
          document.head.append(element)
          return result
        }
        return Promise.all([
          settled(new EventSource(`${address}/api/runs/run-1/events`), 'open'),
          settled(new WebSocket(address.replace('http', 'ws')), 'open'),
          added('img', { src: `${address}/` }),
          added('script', { src: `${address}/app.js` }),
          added('link', { rel: 'stylesheet', href: `${address}/app.css` }),
        ])
      }, origin())
      expect(opened).toEqual([false, false, false, false, false])
    })

    test.each(['iframe', 'embed', 'object'])(
      'a page of another origin cannot show the studio in an element %s',
      async (name) => {
        const page = await browser.newPage()
        await page.goto(evil.url())
        const statuses: number[] = []
        page.on(
          'response',
          (response) => response.url().startsWith(origin()) && statuses.push(response.status()),
        )
        await page.evaluate(
          ([tag, url]) => {
            const element = document.createElement(tag)
            element.setAttribute(tag === 'object' ? 'data' : 'src', url)
            document.body.append(element)
          },
          [name, `${origin()}/`] as const,
        )
        await expect.poll(() => statuses).toEqual([403])
        await page.close()
      },
    )

    test('a page of another origin cannot reach the studio under a name of its own, even with the right session token', async () => {
      const page = await browser.newPage()
      const rebound = `http://evil.example:${studio.port}`
      const response = await page.goto(`${rebound}/`)
      expect(response?.status()).toBe(403)
      expect(await response?.text()).toContain('is not this studio')
      const status = await page.evaluate(
        async (token) =>
          (await fetch('/api/runs', { headers: { 'x-modelport-session': token } })).status,
        session,
      )
      expect(status).toBe(403)
      await page.close()
    })

    test('a page of another origin cannot read the session, which belongs to the port of the studio', async () => {
      const seen = await evil.evaluate(() => [
        localStorage.getItem('modelport-session'),
        document.cookie,
      ])
      expect(seen).toEqual([null, ''])
      expect(session).not.toBe('')
    })

    test('a page of another origin cannot read a window of the studio that it opened', async () => {
      const popup = evil.waitForEvent('popup')
      await evil.evaluate((url) => {
        const opened = window.open(url)
        Object.assign(globalThis, { opened })
      }, `${origin()}/`)
      await (await popup).waitForLoadState()
      const readable = await evil.evaluate(() => {
        const { opened } = globalThis as unknown as { opened: Window | null }
        try {
          return opened?.closed === false && opened.document.title !== ''
        } catch {
          return false
        }
      })
      expect(readable).toBe(false)
      // The window is the user's own page, as in a second tab; only the other page cannot look into
      // it.
      await (await popup).locator('.top').waitFor()
    })
  },
)

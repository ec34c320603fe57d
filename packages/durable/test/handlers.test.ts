// A handler of one's own whose process ends: it runs again from its start, and nothing that it said
// is stored twice.
import {
  type AgentHandler,
  AgentHost,
  createAgent,
  createArtifact,
  createMessage,
  createPart,
  isAgentError,
  requestsOf,
  type Task,
  type TaskContext,
  textOfParts,
} from '@modelport/agent'
import { OutcomeUnknown } from '@modelport/runtime'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../src/database/database.js'
import { createDurableStore, type DurableStore } from '../src/store/durable-store.js'
import { emptyDatabases } from './support/databases.js'

const principal = 'alice'

for (const { name, isMissing, open } of emptyDatabases())
  describe.skipIf(isMissing)(name, () => {
    let database: Database
    let store: DurableStore
    let errors: unknown[]
    const hosts: AgentHost[] = []
    beforeEach(async () => {
      database = await open()
      store = createDurableStore(database, {})
      errors = []
    })
    afterEach(async () => {
      await Promise.all(hosts.splice(0).map((host) => host.drain(100)))
      await database.close()
    })

    const start = (handler: AgentHandler): AgentHost => {
      const agent = createAgent({ card: { name: 'worker', description: 'Works' }, handler })
      const host = new AgentHost([agent], {
        store: createDurableStore(database, {}),
        onError: (error) => errors.push(error),
      })
      hosts.push(host)
      return host
    }
    /** Runs a handler whose process is killed at the end of it, then another one to its end. */
    const runTwice = async (first: AgentHandler, second: AgentHandler): Promise<Task> => {
      const cut: PromiseWithResolvers<void> = Promise.withResolvers()
      const one = start(async (context) => {
        await first(context)
        cut.resolve()
        return new Promise<never>(() => undefined)
      })
      const message = createMessage('user', 'Go')
      const { task } = await one.send({ agent: 'worker', principal, message })
      await cut.promise
      await database.write([{ sql: 'UPDATE runs SET epoch = epoch + 1, due = 0' }])
      return start(second).settled({ principal, id: task.id }, 0)
    }
    const typesOf = async ({ id }: Task): Promise<readonly string[]> =>
      (await store.tasks.read({ principal, id }, 1)).map(({ type }) => type)

    test('what a handler says, appends and reports is stored once, although it runs twice', async () => {
      const seen: unknown[] = []
      const work = async ({ say, artifact, delta, progress, now, id }: TaskContext) => {
        seen.push([now(), id(), id()])
        await say('I begin')
        const file = createArtifact([createPart.text('line 1;')], { name: 'file' })
        await artifact(file)
        await progress(50, 'half')
        await delta('Hel')
        return file
      }
      const task = await runTwice(
        async (context) => {
          await work(context)
          return undefined
        },
        async (context) => {
          const file = await work(context)
          await context.artifact({ ...file, parts: [createPart.text('line 2;')] }, { append: true })
          await context.delta('lo')
          return 'Done'
        },
      )
      expect(task.state).toBe('completed')
      expect(await typesOf(task)).toEqual([
        'status',
        'message',
        'status',
        'message',
        'artifact',
        'progress',
        'text-delta',
        'artifact',
        'text-delta',
        'artifact',
        'message',
        'status',
      ])
      const file = task.artifacts.find((one) => one.name === 'file')
      expect(file?.parts.map(({ content }) => content)).toEqual(['line 1;', 'line 2;'])
      expect(seen[1]).toEqual(seen[0])
      expect(errors).toEqual([])
    })

    test('a handler that says something else the second time is reported once, with both', async () => {
      const task = await runTwice(
        async ({ say }) => {
          await say('It is 10:00')
          await say('Then this')
        },
        async ({ say }) => {
          await say('It is 10:05')
          await say('Then that')
          return 'Done'
        },
      )
      expect(task.state).toBe('completed')
      const [error, ...others] = errors.filter((one) => isAgentError(one, 'handler-changed'))
      expect(others).toEqual([])
      expect(String(error)).toMatch(/number 1: before .*It is 10:00.*, now .*It is 10:05/)
    })

    test('an effect of a handler happens once, and its result is there when the handler runs again', async () => {
      const paid: string[] = []
      const pay = ({ effect }: TaskContext) =>
        effect('pay', ({ idempotencyKey }) => {
          paid.push(idempotencyKey)
          return { receipt: paid.length }
        })
      const task = await runTwice(
        async (context) => {
          await pay(context)
          return undefined
        },
        async (context) => {
          const { receipt } = await pay(context)
          const again = await pay(context)
          return `receipts ${receipt} and ${again.receipt}`
        },
      )
      expect(task.messages.at(-1)?.parts).toEqual([createPart.text('receipts 1 and 2')])
      // Every version has used these keys: a receiver takes another one for another payment.
      expect(paid).toEqual([
        expect.stringMatching(/\.1\/effect\/pay\/1\/effect\/226e13bd504fb629\/0$/),
        expect.stringMatching(/\.1\/effect\/pay\/2\/effect\/f51f86d1f37f140d\/0$/),
      ])
    })

    test('an effect that a death cut is unknown, and one whose receiver knows its key is done again', async () => {
      const keys: string[] = []
      const cut = (context: TaskContext, name: string, idempotent: boolean) => {
        const began: PromiseWithResolvers<void> = Promise.withResolvers()
        const made = context.effect(
          name,
          ({ idempotencyKey }) => {
            keys.push(idempotencyKey)
            began.resolve()
            return new Promise<never>(() => undefined)
          },
          { idempotent },
        )
        // It ends with its process.
        made.catch(() => undefined)
        return began.promise
      }
      let unknown: unknown
      const task = await runTwice(
        async (context) => {
          await cut(context, 'pay', false)
          await cut(context, 'send', true)
        },
        async ({ effect }) => {
          unknown = await effect('pay', () => 'paid').catch((error: unknown) => error)
          const note = ({ idempotencyKey }: { readonly idempotencyKey: string }): string => {
            keys.push(idempotencyKey)
            return 'sent'
          }
          return effect('send', note, { idempotent: true })
        },
      )
      expect(unknown).toBeInstanceOf(OutcomeUnknown)
      expect(task.messages.at(-1)?.parts).toEqual([createPart.text('sent')])
      expect(keys[2]).toBe(keys[1])
    })

    test('an effect whose reply is lost is sent again with its key, or asked for, and is otherwise unknown', async () => {
      const keys: string[] = []
      const asked: string[] = []
      const lost = ({ idempotencyKey }: { readonly idempotencyKey: string }): string => {
        keys.push(idempotencyKey)
        if (keys.filter((key) => key === idempotencyKey).length < 2)
          throw new OutcomeUnknown('the connection ended')
        return 'sent'
      }
      const reconcile = ({ idempotencyKey }: { readonly idempotencyKey: string }) => {
        asked.push(idempotencyKey)
        return { outcome: 'executed', result: 'it was sent' } as const
      }
      const work = async ({ effect }: TaskContext) =>
        [
          await effect('send', lost, { idempotent: true }),
          await effect('ask', lost, { reconcile }),
          await effect('pay', lost).catch((error: unknown) => String(error)),
        ].join(', ')
      const task = await runTwice(
        async (context) => {
          await work(context)
          return undefined
        },
        async (context) => work(context),
      )
      expect(task.messages.at(-1)?.parts).toEqual([
        createPart.text('sent, it was sent, OutcomeUnknown: the connection ended'),
      ])
      const [send, again, ask, pay, ...others] = keys
      expect([again === send, ask === asked[0], others]).toEqual([true, true, []])
      expect(new Set([send, ask, pay]).size).toBe(3)
      expect(asked).toHaveLength(1)
    })

    test('after a death the receiver of an effect is asked what became of it', async () => {
      let paid = 0
      const pay = ({ effect }: TaskContext, began: () => void) =>
        effect(
          'pay',
          () => {
            paid++
            began()
            return new Promise<string>(() => undefined)
          },
          { reconcile: () => ({ outcome: 'executed', result: `payment ${paid}` }) },
        )
      const task = await runTwice(
        (context) =>
          new Promise((resolve) => {
            pay(context, () => resolve(undefined)).catch(() => undefined)
          }),
        async (context) => pay(context, () => undefined),
      )
      expect(task.messages.at(-1)?.parts).toEqual([createPart.text('payment 1')])
      expect(paid).toBe(1)
    })

    test('an effect that failed is not done again: its error is recorded', async () => {
      let calls = 0
      const pay = ({ effect }: TaskContext) =>
        effect('pay', (): string => {
          calls++
          throw new Error('the account is empty')
        }).catch((error: unknown) => String(error))
      const task = await runTwice(
        async (context) => {
          await pay(context)
          return undefined
        },
        async (context) => pay(context),
      )
      expect(task.messages.at(-1)?.parts).toEqual([createPart.text('Error: the account is empty')])
      expect(calls).toBe(1)
    })

    test('an effect whose connection ended is unknown in each run, with the same error', async () => {
      let calls = 0
      const seen: string[] = []
      const pay = async ({ effect }: TaskContext): Promise<undefined> => {
        const error: unknown = await effect('pay', (): string => {
          calls++
          throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
        }).catch((thrown: unknown) => thrown)
        seen.push(String(error))
      }
      await runTwice(pay, pay)
      expect(seen).toEqual(['OutcomeUnknown: socket hang up', 'OutcomeUnknown: socket hang up'])
      expect(calls).toBe(1)
    })

    /** A handler that pays once, and loses the reply. */
    const paying =
      (keys: string[], seen: string[]): AgentHandler =>
      async ({ say, effect, id }) => {
        await say('I pay')
        seen.push(id())
        const receipt = await effect(
          'pay',
          ({ idempotencyKey }) => {
            keys.push(idempotencyKey)
            if (keys.length === 1) throw new OutcomeUnknown('the reply is lost')
            return 'receipt 2'
          },
          { once: true },
        ).catch((error: unknown) => String(error))
        await say('I have paid')
        return `Paid: ${receipt}`
      }
    const sendTo = async (host: AgentHost, text: string): Promise<Task> => {
      const message = createMessage('user', text)
      const { task, before } = await host.send({ agent: 'worker', principal, message })
      return host.settled({ principal, id: task.id }, before)
    }
    const textsOf = ({ messages }: Task): readonly string[] =>
      messages.filter(({ role }) => role === 'agent').map(({ parts }) => textOfParts(parts))

    test.each([
      ['happened', 'receipt 1', 1, 'Paid: receipt 1'],
      ['did-not-happen', undefined, 2, 'Paid: receipt 2'],
      ['unknown', undefined, 1, expect.stringContaining('Paid: OutcomeUnknown') as string],
    ] as const)(
      'a person says %s of an effect whose reply is lost, and the handler runs again with that',
      async (outcome, result, calls, answer) => {
        const keys: string[] = []
        const seen: string[] = []
        const host = start(paying(keys, seen))
        const task = await sendTo(host, 'Go')
        const [request] = requestsOf(task)
        expect([task.state, request?.uncertain, keys.length]).toEqual(['input-required', true, 1])
        const { requestId, digest } = request!
        const part = createPart.request({
          requestId,
          outcome,
          ...(digest !== undefined && { digest }),
          ...(result !== undefined && { result }),
        })
        const message = createMessage('user', [part])
        await host.send({ agent: 'worker', principal, taskId: task.id, message })
        await expect
          .poll(async () => (await host.get({ principal, id: task.id })).task.state)
          .toBe('completed')
        const { task: after } = await host.get({ principal, id: task.id })
        // What was said before is not said again, and what was said of the error is not kept.
        const asked = expect.stringContaining('its outcome is unknown') as string
        expect(textsOf(after)).toEqual(['I pay', asked, 'I have paid', answer])
        expect([new Set(keys).size, keys.length, new Set(seen).size]).toEqual([1, calls, 1])
        expect(errors).toEqual([])
      },
    )

    test('after a death a person says what became of an effect, and an operator can', async () => {
      const keys: string[] = []
      const pay = ({ effect }: TaskContext, began?: () => void) =>
        effect(
          'pay',
          ({ idempotencyKey }): string | Promise<string> => {
            keys.push(idempotencyKey)
            began?.()
            return began ? new Promise<string>(() => undefined) : 'paid now'
          },
          { once: true },
        )
      const task = await runTwice(
        (context) =>
          new Promise((resolve) => {
            pay(context, () => resolve(undefined)).catch(() => undefined)
          }),
        async (context) => `It is ${await pay(context)}`,
      )
      expect(task.state).toBe('input-required')
      expect(await store.operations.list()).toMatchObject([
        { id: task.id, waitsFor: [{ kind: 'uncertain' }] },
      ])
      await store.operations.decide(task.id, { type: 'happened', result: 'paid before' })
      const host = hosts.at(-1)!
      await expect
        .poll(async () => (await host.get({ principal, id: task.id })).task.state)
        .toBe('completed')
      const { task: after } = await host.get({ principal, id: task.id })
      expect([textsOf(after).at(-1), keys.length]).toEqual(['It is paid before', 1])
    })

    test('what a person said of an effect holds if the handler dies again, and runs a third time', async () => {
      const keys: string[] = []
      const waits = paying(keys, [])
      const task = await sendTo(start(waits), 'Go')
      await Promise.all(hosts.splice(0).map((host) => host.drain(100)))
      await store.operations.decide(task.id, { type: 'happened', result: 'receipt 1' })
      const cut: PromiseWithResolvers<void> = Promise.withResolvers()
      start(async (context) => {
        await waits(context)
        cut.resolve()
        return new Promise<never>(() => undefined)
      })
      await cut.promise
      await database.write([{ sql: 'UPDATE runs SET epoch = epoch + 1, due = 0' }])
      const host = start(waits)
      await expect
        .poll(async () => (await host.get({ principal, id: task.id })).task.state)
        .toBe('completed')
      const { task: after } = await host.get({ principal, id: task.id })
      expect([textsOf(after).at(-1), keys.length]).toEqual(['Paid: receipt 1', 1])
    })

    test('a new message in place of what a person has to say begins a new run of the handler', async () => {
      const keys: string[] = []
      const host = start(paying(keys, []))
      const task = await sendTo(host, 'Go')
      const message = createMessage('user', 'Forget it, pay again')
      await host.send({ agent: 'worker', principal, taskId: task.id, message })
      await expect
        .poll(async () => (await host.get({ principal, id: task.id })).task.state)
        .toBe('completed')
      expect(new Set(keys).size).toBe(2)
    })

    test('a receiver that could not tell is asked again when the handler runs again', async () => {
      const answers = [
        { outcome: 'unknown' },
        { outcome: 'executed', result: { receipt: 7 } },
      ] as const
      let asked = 0
      let paid = 0
      const reconcile = () => answers[asked++] ?? { outcome: 'unknown' as const }
      const pay = ({ effect }: TaskContext) =>
        effect(
          'pay',
          (): { readonly receipt: number } => {
            paid++
            throw new OutcomeUnknown('the reply is lost')
          },
          { reconcile },
        )
      const task = await runTwice(
        async (context) => {
          await expect(pay(context)).rejects.toBeInstanceOf(OutcomeUnknown)
          return undefined
        },
        async (context) => `receipt ${(await pay(context)).receipt}`,
      )
      expect(task.messages.at(-1)?.parts).toEqual([createPart.text('receipt 7')])
      expect([asked, paid]).toEqual([2, 1])
    })
  })

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMemoryStore } from '@modelport/agent'
import { serve } from '@modelport/serve/node'
import { expect, it } from 'vitest'
import { echoAgent, say, testServer } from './support.js'

const config = { id: 'one', url: 'https://example.com/hook' }

it('a task without push configurations is not read again for notifications', async () => {
  const store = createMemoryStore()
  let loads = 0
  const { pushConfigs } = store
  const counted = {
    ...store,
    pushConfigs: new Proxy(pushConfigs, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name)
        if (name === 'list') loads++
        return typeof value === 'function' ? (value.bind(target) as unknown) : value
      },
    }),
  }
  const { rpc } = testServer({ store: counted, push: { send: () => Promise.resolve(200) } })
  expect((await rpc('SendMessage', say('slow'))).result.task.status.state).toBe('TASK_STATE_COMPLETED')
  expect(loads).toBe(1)
})

it('a push configuration that arrives while the server looks for configurations gets its notifications', async () => {
  const store = createMemoryStore()
  const sent: string[] = []
  let release: () => void = () => undefined
  const looked = new Promise<void>((resolve) => {
    release = resolve
  })
  let isFirst = true
  const { pushConfigs } = store
  const slow = {
    ...store,
    pushConfigs: new Proxy(pushConfigs, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name)
        if (name !== 'list' || !isFirst) return typeof value === 'function' ? (value.bind(target) as unknown) : value
        isFirst = false
        return async (key: Parameters<typeof pushConfigs.list>[0]) => {
          const found = await target.list(key)
          await looked
          return found
        }
      },
    }),
  }
  const send = ({ body }: { readonly body: string }) => {
    sent.push(body)
    return Promise.resolve(200)
  }
  const { rpc } = testServer({ store: slow, push: { send } }, [echoAgent()])
  const { task } = (await rpc('SendMessage', { ...say('wait'), configuration: { returnImmediately: true } })).result
  await expect.poll(() => isFirst).toBe(false)
  expect((await rpc('CreateTaskPushNotificationConfig', { ...config, taskId: task.id })).error).toBeUndefined()
  release()
  await rpc('CancelTask', { id: task.id })
  await expect.poll(() => sent.join()).toContain('TASK_STATE_CANCELED')
})

it('a push configuration that comes with a later message of a task gets its notifications', async () => {
  const sent: string[] = []
  const send = ({ body }: { readonly body: string }) => {
    sent.push(body)
    return Promise.resolve(200)
  }
  const { rpc } = testServer({ push: { send } })
  const { task } = (await rpc('SendMessage', say('ask'))).result
  const configuration = { taskPushNotificationConfig: config }
  await rpc('SendMessage', { ...say('Rome', { taskId: task.id }), configuration })
  await expect.poll(() => sent.join()).toContain('TASK_STATE_COMPLETED')
})

it('serve brings the sender of notifications if its settings name none', async () => {
  const receiver = createServer((_request, response) => response.end()).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const server = await serve([echoAgent()], { push: { allowInsecure: true, maxAttempts: 1 } })
  try {
    const received = once(receiver, 'request', { signal: AbortSignal.timeout(5000) })
    const { message } = say('hi') as { readonly message: object }
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    await fetch(`${server.url}/message:send`, {
      method: 'POST',
      headers: { 'content-type': 'application/a2a+json', 'a2a-version': '1.0' },
      body: JSON.stringify({ message, configuration: { taskPushNotificationConfig: { url } } }),
    })
    expect(await received).toHaveLength(2)
  } finally {
    await server.close()
    receiver.close()
  }
})

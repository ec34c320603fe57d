import { expect, onTestFinished, test } from 'vitest'
import { apiHosts } from '../src/index.js'

test('a program that is shown in a studio has the address of the studio in its list of hosts, and no other program has', () => {
  const key = Symbol.for('modelport.studio')
  const config = { provider: 'ollama' }
  const alone = apiHosts(config)
  Object.defineProperty(globalThis, key, { value: () => '127.0.0.1:4111', configurable: true })
  onTestFinished(() => {
    Reflect.deleteProperty(globalThis, key)
  })
  expect(apiHosts(config)).toEqual([
    ...alone,
    {
      ...{
        host: '127.0.0.1',
        port: 4111,
        scheme: 'http',
        purpose: 'studio',
        phase: 'runtime',
        required: false,
        source: 'env',
      },
      when: 'this program is shown in a studio; MODELPORT_STUDIO=off ends that',
    },
  ])
})

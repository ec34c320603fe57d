// Prints what the sandbox has to allow: node hosts.ts deno|srt [BASE_URL]
import process from 'node:process'
import { apiHosts, environmentNames } from '@modelport/factory'
import { toDeno, toSrt } from '@modelport/factory/sandbox'
import { modelAt } from './model.ts'

const [, , sandbox, baseUrl = 'http://127.0.0.1:8080/v1'] = process.argv
const model = modelAt(baseUrl)
const list =
  sandbox === 'srt'
    ? toSrt(apiHosts(model))
    : toDeno(apiHosts(model), {
        env: environmentNames([model]),
        program: 'agent.ts',
        args: [baseUrl],
      })
process.stdout.write(list.text)
for (const line of [...list.requires.warnings, ...list.requires.notes]) console.error(`# ${line}`)

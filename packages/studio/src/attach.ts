import process from 'node:process'
import { isLlmError } from '@modelport/core'
import { attach } from './attach/attach.js'

// The import is the whole interface: `node --import @modelport/studio/attach app.mjs`.
try {
  attach()
} catch (error) {
  if (!isLlmError(error)) throw error
  // A setting is wrong: its sentence says all, and where this file is says nothing to its reader.
  process.stderr.write(`modelport: ${error.message}\n`)
  process.exit(1)
}

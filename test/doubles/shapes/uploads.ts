// What is uploaded as a form, written from the types of the package `openai` and the reference of the API, since a form has texts and files where the types
// have numbers and streams. A test compares the names with those of the installed package.
// @see https://developers.openai.com/api/reference/resources/files (read 2026-11-25)
import { object, oneOf, string } from './forms.ts'

const whole = { type: 'string', pattern: '^\\d+$' }
const file = object({ 'fileName!': { type: 'string', pattern: '.' }, mediaType: string, 'size!': { type: 'integer' } })

/** The shapes. */
export const uploadShapes: {
  readonly $id: string
  readonly source: string
  readonly definitions: Record<string, object>
} = {
  $id: 'uploads',
  source: 'the types of openai and the reference of its API, read 2026-11-25',
  definitions: {
    file: object({
      'file!': file,
      'purpose!': oneOf('assistants', 'batch', 'fine-tune', 'vision', 'user_data', 'evals'),
      'expires_after[anchor]': oneOf('created_at'),
      'expires_after[seconds]': whole,
    }),
  },
}

// What is uploaded, written from the types of the packages and the references of the APIs, since a
// form has texts and files where the types have numbers and streams. A test compares the names with
// those of the installed packages.
// @see https://developers.openai.com/api/reference/resources/files (read 2026-11-25)
// @see https://platform.claude.com/docs/en/api/files/upload (read 2026-11-27)
// @see https://ai.google.dev/api/files#method:-media.upload (read 2026-11-27)
import { object, oneOf, string } from './forms.ts'

const whole = { type: 'string', pattern: '^\\d+$' }
const file = object({
  'fileName!': { type: 'string', pattern: '.' },
  mediaType: string,
  'size!': { type: 'integer' },
})

/** The shapes. */
export const uploadShapes: {
  readonly $id: string
  readonly source: string
  readonly definitions: Record<string, object>
} = {
  $id: 'uploads',
  source:
    'the types of openai and @anthropic-ai/sdk and the references of the APIs, read 2026-11-27',
  definitions: {
    file: object({
      'file!': file,
      'purpose!': oneOf('assistants', 'batch', 'fine-tune', 'vision', 'user_data', 'evals'),
      'expires_after[anchor]': oneOf('created_at'),
      'expires_after[seconds]': whole,
    }),
    anthropicFile: object({ 'file!': file, expires_in_seconds: whole }),
    geminiFile: object({
      'file!': object({ name: string, display_name: string, mime_type: string }),
    }),
  },
}

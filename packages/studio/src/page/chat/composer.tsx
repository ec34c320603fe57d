import type { ContentPart } from '@modelport/core'
import { type Signal, signal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Icon } from '../parts/icons.js'
import { AttachedImages, maxImageBytes, toImage } from './attached-images.js'

/** What the user wrote and attached. */
export type Draft = string | readonly ContentPart[]

/** The unsent content of a message box. It outlives the box. */
export interface DraftSignals {
  readonly text: Signal<string>
  readonly images: Signal<readonly File[]>
}

/**
 * True moves the focus to the next message box: a new run shows a new one, and the focus must not
 * be lost.
 */
export const focusMessage: Signal<boolean> = signal(false)

/** Calls the listener when Escape is pressed anywhere on the page. */
function useEscape(listener: (() => void) | undefined): void {
  useEffect(() => {
    if (!listener) return
    const press = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && !event.isComposing && !event.defaultPrevented) listener()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [listener])
}

/**
 * Where the user writes. Enter sends, Shift and Enter begin a new line. A text that was refused
 * comes back.
 */
export function Composer({
  draft: { text, images },
  busy,
  onSend,
  onStop,
}: {
  readonly draft: DraftSignals
  /** Why nothing can be sent now; unset when it can. */
  readonly busy?: string | undefined
  /** Resolves with false if the message was refused. */
  readonly onSend: (draft: Draft) => Promise<boolean>
  readonly onStop?: (() => void) | undefined
}): VNode {
  const [note, setNote] = useState('')
  const [isSending, setSending] = useState(false)
  const message = useRef<HTMLTextAreaElement>(null)
  // Before the next key: what is typed then belongs in this box.
  useLayoutEffect(() => {
    if (focusMessage.peek()) message.current?.focus()
    focusMessage.value = false
  }, [])
  useEffect(() => setNote(''), [busy])
  useEscape(onStop)
  const isEmpty = !text.value.trim() && images.value.length === 0
  const submit = async (): Promise<void> => {
    if (isEmpty || isSending) return
    if (busy !== undefined) {
      setNote(`${busy} Your message is kept.`)
      return
    }
    setSending(true)
    // The box is empty at once: what is typed from now on is the next message.
    const written = text.value
    const attached = images.value
    text.value = ''
    images.value = []
    const parts = await Promise.all(attached.map(toImage))
    const textPart = written.trim() ? [{ type: 'text', text: written } as const] : []
    const isTaken = await onSend(parts.length === 0 ? written : [...textPart, ...parts])
    setSending(false)
    if (isTaken) return
    text.value = [written, text.value].filter(Boolean).join('\n')
    images.value = [...attached, ...images.value]
  }
  const attach = (files: readonly File[]): void => {
    const tooLarge = files.find(({ size }) => size > maxImageBytes)
    setNote(tooLarge ? `${tooLarge.name} is larger than 8 MB; attach a smaller image` : '')
    images.value = [...images.value, ...files.filter(({ size }) => size <= maxImageBytes)]
  }
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <label class="visually-hidden" for="message">
        Message
      </label>
      <textarea
        ref={message}
        id="message"
        rows={2}
        placeholder="Ask something. Shift+Enter for a new line."
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
          event.preventDefault()
          void submit()
        }}
        onPaste={(event) => {
          const files = [...(event.clipboardData?.files ?? [])].filter(({ type }) =>
            type.startsWith('image/'),
          )
          if (files.length === 0) return
          event.preventDefault()
          attach(files)
        }}
      />
      <AttachedImages images={images} />
      <div class="composer-row">
        <AttachButton onFiles={attach} />
        <span class="muted" role="status">
          {note}
        </span>
        <SendButton isBusy={busy !== undefined} canSend={!isSending && !isEmpty} onStop={onStop} />
      </div>
    </form>
  )
}

/** Sends; while the model replies, stops it. */
function SendButton({
  isBusy,
  canSend,
  onStop,
}: {
  readonly isBusy: boolean
  readonly canSend: boolean
  readonly onStop: (() => void) | undefined
}): VNode {
  return isBusy && onStop ? (
    <button type="button" class="primary" title="Escape" onClick={onStop}>
      <Icon name="stop" /> Stop
    </button>
  ) : (
    <button type="submit" class="primary" disabled={isBusy || !canSend}>
      <Icon name="send" /> Send
    </button>
  )
}

function AttachButton({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }): VNode {
  return (
    <label class="button file">
      Attach images…
      <input
        class="visually-hidden"
        type="file"
        accept="image/png,image/jpeg,image/gif,image/webp"
        multiple
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])])
          // The same file can be chosen again after it was removed.
          currentTarget.value = ''
        }}
      />
    </label>
  )
}

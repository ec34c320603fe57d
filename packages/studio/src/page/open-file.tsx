import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { ModelInfo } from '../protocol/protocol.js'
import { post } from './api.js'
import { go, refreshInfo, selectedModel } from './state.js'

/** Opens a cassette: it becomes a model. */
export function OpenCassette(): VNode {
  const [problem, setProblem] = useState('')
  const open = async (file: File | undefined): Promise<void> => {
    if (!file) return
    try {
      const { id } = await post<ModelInfo>('/api/cassettes', JSON.parse(await file.text()))
      await refreshInfo()
      selectedModel.value = id
      go('chat')
    } catch (error) {
      setProblem(
        error instanceof SyntaxError
          ? `${file.name} is not JSON. Choose a file that “Save as a cassette” or modelport chat --record wrote.`
          : (error as Error).message,
      )
    }
  }
  return (
    <div class="file-row kept">
      <label class="button file">
        Open a cassette…
        <input
          class="visually-hidden"
          type="file"
          accept=".json,application/json"
          onChange={(event) => void open(event.currentTarget.files?.[0])}
        />
      </label>
      <span class={problem ? 'problem' : 'muted'} role="status">
        {problem || 'It becomes a model that replays what was recorded, without a network and without a key.'}
      </span>
    </div>
  )
}

import { isObject } from '@modelport/core'
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { ModelInfo, RunRecord } from '../../protocol/protocol.js'
import { post } from '../link/api.js'
import { go, refreshInfo, selectedModel } from '../link/state.js'

const advice =
  'Choose a file that “Save as a cassette”, “Save as JSON” or modelport chat --record wrote.'

/** Opens a file: a run is kept, a cassette becomes a model. */
export function OpenFile(): VNode {
  const [problem, setProblem] = useState('')
  const open = async (file: File | undefined): Promise<void> => {
    if (!file) return
    try {
      const content: unknown = JSON.parse(await file.text())
      if (typeof content === 'object' && content !== null && 'modelport' in content) {
        go('chat', (await post<RunRecord>('/api/runs/import', content)).id)
        return
      }
      if (!isObject(content) || !('exchanges' in content)) {
        setProblem(`${file.name} is neither a cassette nor a run. ${advice}`)
        return
      }
      const { id } = await post<ModelInfo>('/api/cassettes', content)
      await refreshInfo()
      selectedModel.value = id
      go('chat')
    } catch (error) {
      setProblem(
        error instanceof SyntaxError
          ? `${file.name} is not JSON. ${advice}`
          : (error as Error).message,
      )
    }
  }
  return (
    <div class="file-row kept">
      <label class="button file">
        Open a cassette or a run…
        <input
          class="visually-hidden"
          type="file"
          accept=".json,application/json"
          onChange={(event) => void open(event.currentTarget.files?.[0])}
        />
      </label>
      <span class={problem ? 'problem' : 'muted'} role="status">
        {problem ||
          'A cassette becomes a model that replays what was recorded, without a network and without a key.'}
      </span>
    </div>
  )
}

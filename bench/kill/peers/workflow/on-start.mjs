// The server that serves the workflow. The local world continues the runs of a killed process when
// it starts.
import { getHookByToken, getRun, resumeHook, start as startRun } from 'workflow/api'
import { promptOf, tell, toolNames, work } from '../../door.mjs'
import { workOn } from './job.mjs'

const tokenOf = ({ job }) => `approval-${job}`

/** Resolves at the end of a run, or once it waits for an approval. */
async function ending(run, job, isDecided) {
  let isOver = false
  const end = run.returnValue.then((text) => ({ text })).finally(() => (isOver = true))
  const asked = async () => {
    while (!isOver) {
      const hook = await getHookByToken(tokenOf(job)).catch(() => undefined)
      if (hook && !isDecided) return { waits: [{ kind: 'approval', call: 'refund' }] }
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return end
  }
  return Promise.race([end, asked()])
}

const runs = new Map()

async function start(job) {
  const { model, ledger } = job
  const run = await startRun(workOn, [
    { job: job.job, prompt: promptOf(job), model, ledger, toolNames },
  ])
  runs.set(job.job, run)
  await tell({ job: job.job, accepted: run.runId })
  return ending(run, job)
}

async function resume(job) {
  if (!job.accepted) return { missing: true }
  const run = getRun(job.accepted)
  runs.set(job.job, run)
  return ending(run, job)
}

async function decide(job) {
  await resumeHook(tokenOf(job), { approved: true })
  return ending(runs.get(job.job), job, true)
}

export default () => {
  // The routes are there once the server listens.
  setTimeout(() => work({ start, resume, decide }), 100)
}

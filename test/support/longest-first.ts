import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { root } from '../../scripts/workspaces.ts'
import { longFiles } from './long-files.js'

const placeOf = ({ moduleId }: TestSpecification): number => {
  const place = longFiles.indexOf(relative(root, moduleId).replaceAll('\\', '/'))
  return place === -1 ? longFiles.length : place
}

/** Runs the files of `longFiles` first, in their project; the rest in vitest's own order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)

    // A worker serves one project, so the files of each stay together.
    const projects = [...new Set(sorted.map(({ project }) => project))]
    return projects.flatMap((project) =>
      sorted.filter((file) => file.project === project).toSorted((a, b) => placeOf(a) - placeOf(b)),
    )
  }
}

/**
 * Whether the packages are on npm. The only place that says so: advice of programs, the notices in
 * the READMEs (`pnpm notices` writes them), llms.txt and the trial follow it.
 */
export const isPublished: boolean = false

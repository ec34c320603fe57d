export function noticedPages(): readonly string[]
export function inForm(path: string, text: string, isPublished: boolean): string
export function readPage(path: string): string

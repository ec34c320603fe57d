/** Day on which the facts of the catalog were last read from their sources. */
export const catalogDate = '2026-11-21'

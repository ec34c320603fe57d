/**
 * Code without its layout, so that a block of a page and the formatted test that runs it can be
 * compared.
 */
export const withoutLayout = (code: string): string =>
  code
    .replaceAll(/\s+/g, '')
    .replaceAll(/,(?=[)\]}])/g, '')
    .replaceAll(/\(([\w$]+)\)=>/g, '$1=>')

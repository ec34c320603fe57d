const phrases =
  /\bimages? inputs? (?:is|are) not (?:supported|enabled)|not support (?:images?|vision)(?: inputs?)?(?=$|[.,;:!\n]|\s*[-(])|found that support images? input/

/**
 * True for a message that refuses every image, as servers write it for a model without eyes: "image
 * input is not supported - hint: …", "this model does not support images". A complaint about the
 * size, the address or the format of one is not one.
 */
export const refusesImages = (message: string): boolean =>
  phrases.test(message.slice(0, 1024).toLowerCase())

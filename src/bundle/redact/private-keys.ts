/** A private key in PEM, with its first and last line apart; one without an end goes on to the end of the text. */
export const privatePem =
  /(-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----)([\s\S]*?)(-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$(?![\s\S]))/g;

/**
 * How private keys begin in DER (hex): a sequence that opens with a version number, as PKCS #1, PKCS #8, SEC 1 and
 * PKCS #12 have it, and certificates, public keys and signatures do not; or one that opens with the object identifier
 * of an encryption by password. Told by the beginning, so that a key that was cut short is one too.
 */
const privateDer =
  /^30(?:[0-7].|81..|82.{4}|83.{6})(?:02010[013]|30(?:[0-7].|81..|82.{4})06..2a864886f70d01(?:05|0c01))/;

/** Whether base64 (blanks are left out) holds a private key, as PEM or DER. */
export function holdsPrivateKey(run: string): boolean {
  const bytes = Buffer.from(run.replace(/\s/g, ''), 'base64');
  return bytes.includes('PRIVATE KEY-----') || (bytes[0] === 0x30 && privateDer.test(bytes.toString('hex', 0, 40)));
}

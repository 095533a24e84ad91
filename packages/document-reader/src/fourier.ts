// The Fourier transform of complex numbers, in place: radix 2, of a length that is a power of two.

/** Which numbers of two arrays are transformed. */
type Line = { start: number; step: number; length: number };

export function fourier(real: Float64Array, imaginary: Float64Array, { start, step, length }: Line): void {
  order(real, imaginary, { start, step, length });
  for (let size = 1; size < length; size *= 2) {
    for (let pair = 0; pair < size; pair++) {
      const angle = (-Math.PI * pair) / size;
      const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
      for (let at = pair; at < length; at += 2 * size) {
        const even = start + at * step;
        const odd = even + size * step;
        const re = real[odd]! * cosine - imaginary[odd]! * sine;
        const im = imaginary[odd]! * cosine + real[odd]! * sine;
        real[odd] = real[even]! - re;
        imaginary[odd] = imaginary[even]! - im;
        real[even]! += re;
        imaginary[even]! += im;
      }
    }
  }
}

/** Exchanges each number with that of its reversed index in binary digits. */
function order(real: Float64Array, imaginary: Float64Array, { start, step, length }: Line): void {
  for (let at = 1, to = length >> 1; at < length; at++) {
    if (at < to) {
      const [one, other] = [start + at * step, start + to * step];
      const [re, im] = [real[one]!, imaginary[one]!];
      real[one] = real[other]!;
      imaginary[one] = imaginary[other]!;
      real[other] = re;
      imaginary[other] = im;
    }
    let bit = length >> 1;
    for (; to & bit; bit >>= 1) to ^= bit;
    to |= bit;
  }
}

// The characters of a machine-readable zone (ICAO Doc 9303, part 3, section 4.3), in the order of the classifier's outputs.

export const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ<';

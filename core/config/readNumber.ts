/** A plain decimal number. `Number("")` is 0 and `Number("0x10")` is 16; here neither is one. */
export function readNumber(text: string): number | undefined {
	return /^-?(0|[1-9][0-9]{0,15})(\.[0-9]{1,15})?$/.test(text.trim()) ? Number(text) : undefined;
}

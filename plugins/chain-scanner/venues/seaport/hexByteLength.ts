// One character class without a group: a group would make the engine keep a frame for each digit.
const HEX_TEXT = /^0x[0-9a-fA-F]*$/;

/** How many bytes the text holds, or null when it is not whole bytes of hex. */
export function hexByteLength(text: string): number | null {
	if (text.length % 2 !== 0 || !HEX_TEXT.test(text)) return null;
	return text.length / 2 - 1;
}

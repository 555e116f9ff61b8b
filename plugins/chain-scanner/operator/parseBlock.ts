import { scannerFault } from "#plugins/chain-scanner/faults.ts";

/** A block's number as an operator types it: digits, grouped by `_` or `,` where they like. */
export function parseBlock(flag: string, text: string | undefined): number {
	const digits = text?.replace(/(?<=\d)[_,](?=\d)/g, "") ?? "";
	if (!/^\d{1,15}$/.test(digits)) {
		const given = text === undefined ? "is missing" : `is "${text}"`;
		throw scannerFault.command({ public: `--${flag} ${given}: it takes a block's number.` });
	}
	return Number(digits);
}

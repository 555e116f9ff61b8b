import { scannerFault } from "#plugins/chain-scanner/faults.ts";

/** Parses a block's number as an operator types it: digits, optionally grouped by `_` or `,`. */
export function parseBlock(flag: string, text: string | undefined): number {
	const digits = text?.replace(/(?<=\d)[_,](?=\d)/g, "") ?? "";
	if (!/^\d{1,15}$/.test(digits)) {
		const given = text === undefined ? "is missing" : `is "${text}"`;
		throw scannerFault.command({ public: `--${flag} ${given}: it takes a block's number.` });
	}
	return Number(digits);
}

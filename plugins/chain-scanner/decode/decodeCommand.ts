import { readFile } from "node:fs/promises";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { CliCommand } from "#core/plugin/CliCommand.ts";
import { type Venue, VenuePoint } from "#plugins/chain-scanner/contract.ts";
import { decodeLogs } from "#plugins/chain-scanner/decode/decodeLogs.ts";
import { describeSale } from "#plugins/chain-scanner/decode/describeSale.ts";
import { parseLogFile } from "#plugins/chain-scanner/decode/parseLogFile.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";

/** Reads logs from a file by hand: shows the sales that the sale lane would find. */
export const decodeCommand: CliCommand = {
	name: "decode",
	usage: "decode <file.json>",
	summary: "print the sales that the logs of a file mean, one JSON line each",
	async run([path], { contributions, out, note }) {
		if (path === undefined) {
			throw scannerFault.logFile({ public: "decode needs a file: bun run svc decode <file.json>" });
		}
		const text = await readFile(path, "utf8").catch((cause) => {
			throw scannerFault.logFile({ public: `${path} cannot be read: ${cause.message}`, cause });
		});
		const venues = contributions(VenuePoint);
		let failures = 0;
		for (const group of parseLogFile(text, { emitterOf: (topic) => emitterOf(venues, topic) })) {
			if (group.kind === "malformed") {
				note(group.problem);
				failures++;
				continue;
			}
			for (const logs of group.transactions) {
				const { sales, undecoded, doubts } = decodeLogs(logs, venues, group);
				for (const { sale, venue } of sales) out(JSON.stringify(describeSale(sale, venue)));
				for (const { logIndex, problem } of [...undecoded, ...doubts]) {
					note(`log ${logIndex}: ${problem}`);
				}
				failures += undecoded.length;
			}
		}
		return failures > 0 ? 1 : 0;
	},
};

/** Returns the newest contract of the venue that emits such logs. */
function emitterOf(venues: readonly Venue[], topic: Hex | undefined): Address | undefined {
	const venue = venues.find(({ topics }) => topic !== undefined && topics.includes(topic));
	return venue?.contracts.at(-1);
}

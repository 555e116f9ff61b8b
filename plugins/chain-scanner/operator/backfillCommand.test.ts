import { expect, test } from "bun:test";
import type { Fault } from "#core/fault.ts";
import { parseBackfill } from "#plugins/chain-scanner/operator/backfillCommand.ts";

const all = ["--chain", "anvil", "--from", "10", "--to", "20"];
const refusal = (args: string[]): string => {
	try {
		parseBackfill(args);
	} catch (error) {
		return (error as Fault).publicDetail;
	}
	return "nothing was refused";
};

test("[ING-10] a range of blocks is accepted, for both lanes or a named one", () => {
	expect(parseBackfill(all)).toEqual({
		chain: "anvil",
		range: { from: 10, to: 20 },
		lanes: ["mint", "sale"],
	});
	expect(parseBackfill([...all, "--lane", "sale"]).lanes).toEqual(["sale"]);
	const grouped = ["--chain", "anvil", "--from=1_000", "--to=23,100,000"];
	expect(parseBackfill(grouped).range).toEqual({ from: 1_000, to: 23_100_000 });
});

const mistakes: [string[], string][] = [
	[["--chain", "anvil", "--from", "20", "--to", "10"], "--from 20 lies above --to 10"],
	[["--chain", "anvil", "--to", "10"], "--from is missing"],
	[["--chain", "anvil", "--from", "1"], "--to is missing"],
	[["--chain", "anvil", "--from", "1.5", "--to", "10"], '--from is "1.5"'],
	[["--chain", "anvil", "--from", "0x10", "--to", "99"], '--from is "0x10"'],
	[["--chain", "anvil", "--from", "1", "--to", "head"], '--to is "head"'],
	[["--chain", "anvil", "--from", "1", "--to", "9".repeat(16)], "--to is"],
	[[...all, "--lane", "transfer"], "it takes mint or sale"],
	[[...all, "--lanes", "mint"], "bun run svc backfill --chain <slug>"],
	[[...all, "mint"], "bun run svc backfill --chain <slug>"],
];
for (const [args, words] of mistakes) {
	test(`backfill ${args.join(" ")} is refused, with the reason`, () => {
		expect(refusal(args)).toContain(words);
	});
}

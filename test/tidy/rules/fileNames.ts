import { basename } from "node:path";
import { eachFile } from "#test/tidy/eachFile.ts";
import { isTestFile } from "#test/tidy/isTestFile.ts";
import type { Rule } from "#test/tidy/Rule.ts";

/** The same question has the same file name in every plugin (ARCHITECTURE.md, "Parts"). */
const ROLES = new Set(["contract", "plugin", "schema", "routes", "route", "faults", "limits"]);

const BANNED = /^(utils?|helpers?|types|common|misc|index)$/;

/**
 * A file that exports one value (or one type only) has its name; `create` before it is allowed, as
 * in chainRegistry.ts and createChainRegistry. A file of several values is named for their idea.
 */
export const fileNames: Rule = {
	name: "file-names",
	why: "the path is the answer: who knows the name of a thing knows where it is",
	check: eachFile(({ path, exports }) => {
		const name = basename(path).replace(/\.tsx?$/, "");
		if (BANNED.test(name)) return [{ message: `"${name}" names no idea` }];
		const values = exports.filter(({ kind }) => kind === "value");
		const isOneThing = values.length === 1 || (values.length === 0 && exports.length === 1);
		if (isTestFile(path) || ROLES.has(name) || !isOneThing) return [];
		const allowed = [plain(name), `create${plain(name)}`];
		if (exports.some((one) => allowed.includes(plain(one.name)))) return [];
		const exported = exports.map((one) => one.name).join(", ");
		return [{ message: `exports ${exported}, but nothing called ${name}` }];
	}),
	bad: [
		[{ path: "core/money/parse.ts", text: "export function parseAmount() {}" }],
		[{ path: "core/money/money.ts", text: "export type Amount = 1;" }],
		[{ path: "core/money/utils.ts", text: "export function utils() {}" }],
		[{ path: "plugins/a/types.ts", text: "export type Types = 1;" }],
		[{ path: "plugins/a/index.ts", text: 'export { a } from "./a.ts";' }],
	],
	good: [
		[{ path: "core/money/parseAmount.ts", text: "export function parseAmount() {}" }],
		[{ path: "core/money/Amount.ts", text: "export type Amount = 1;\nexport const ZERO = 0n;" }],
		[{ path: "core/chain/Hex.ts", text: "export type Hex = 1;\nexport const ZERO = 0;" }],
		[
			{
				path: "plugins/a/sql/gap.ts",
				text: "export const insertGap = 1;\nexport const cutGap = 2;",
			},
		],
		[{ path: "core/chain/chainRegistry.ts", text: "export function createChainRegistry() {}" }],
		[{ path: "api/pageSize.ts", text: "export const PAGE_SIZE = 1;" }],
		[{ path: "core/a.ts", text: "const a = 1;\nexport { a };" }],
		[{ path: "plugins/a/faults.ts", text: "export const marketFault = {};" }],
		[{ path: "api/cli/up.ts", text: "await start();" }],
	],
};

/** A constant is written in capitals: VERSION lives in version.ts. */
function plain(name: string): string {
	return name.replaceAll("_", "").toLowerCase();
}

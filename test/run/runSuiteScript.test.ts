import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
	installTools,
	type Machine,
	readSuiteArgs,
	scratchFolder,
} from "#test/run/runSuiteScript.ts";

describe("installTools", () => {
	type Traits = { has: string[]; isRoot?: boolean; fails?: RegExp };

	/** A machine that has these commands, and where those that match fail. */
	async function installOn({ has, isRoot = false, fails = /^$/ }: Traits) {
		const ran: string[] = [];
		const said: string[] = [];
		const machine: Machine = {
			has: (command) => has.includes(command),
			isRoot,
			async run(command) {
				const line = command.join(" ");
				ran.push(line);
				return fails.test(line) ? 100 : 0;
			},
			say: (line) => void said.push(line),
		};
		await installTools(machine);
		return { ran, said };
	}

	const apt = "env DEBIAN_FRONTEND=noninteractive apt-get -qq";
	const install = `${apt} install -y --no-install-recommends redis-server`;

	test("on a machine that has everything nothing is installed", async () => {
		expect(await installOn({ has: ["redis-server", "apt-get"], isRoot: true })).toEqual({
			ran: [],
			said: [],
		});
	});

	test("root on a bare Debian gets the programs that the tests start", async () => {
		const { ran, said } = await installOn({ has: ["apt-get"], isRoot: true });
		expect(ran).toEqual([`${apt} update`, install]);
		expect(said).toEqual(["── installing redis-server"]);
	});

	test("a user with sudo without a password gets them too", async () => {
		const { ran } = await installOn({ has: ["apt-get", "sudo"] });
		expect(ran).toEqual(["sudo -n true", `sudo -n ${apt} update`, `sudo -n ${install}`]);
	});

	const helpless: [what: string, traits: Traits, why: string][] = [
		["no apt-get", { has: ["sudo"], isRoot: true }, "there is no apt-get"],
		["no sudo", { has: ["apt-get"] }, "takes root, or sudo"],
		["a sudo with a password", { has: ["apt-get", "sudo"], fails: /true$/ }, "takes root, or sudo"],
		[
			"no mirror",
			{ has: ["apt-get"], isRoot: true, fails: /apt-get/ },
			"apt-get ended with code 100",
		],
	];
	for (const [what, traits, why] of helpless) {
		test(`a run with ${what} continues, with one message`, async () => {
			const { said } = await installOn(traits);
			const complaints = said.filter((line) => line.includes("skipped"));
			expect(complaints).toHaveLength(1);
			expect(complaints[0]).toContain(why);
		});
	}

	test("an outdated list of packages does not prevent an installation", async () => {
		const { ran, said } = await installOn({ has: ["apt-get"], isRoot: true, fails: /update$/ });
		expect(ran.at(-1)).toBe(install);
		expect(said).toEqual(["── installing redis-server"]);
	});
});

describe("readSuiteArgs", () => {
	test("--help prints the help and runs nothing, at any position", () => {
		for (const argv of [["--help"], ["-h"], ["--prove", "--help"], ["core", "--help"]]) {
			expect(readSuiteArgs(argv)).toMatchObject({
				kind: "help",
				text: expect.stringContaining("bun run prove"),
			});
		}
	});

	test("parts of paths and --prove are accepted", () => {
		for (const argv of [
			[],
			["core"],
			["--prove"],
			["--prove", "a", "b"],
			["--all"],
			["--changed"],
		]) {
			expect(readSuiteArgs(argv)).toEqual({ kind: "run" });
		}
	});

	test("an unknown option is refused, because a run takes half an hour", () => {
		expect(readSuiteArgs(["--prvoe"])).toMatchObject({
			kind: "wrong",
			text: expect.stringContaining('"--prvoe" is not an option.'),
		});
	});
});

describe("scratchFolder", () => {
	test("a run's folder is its own, and deleted with it", async () => {
		const [one, other] = [await scratchFolder(), await scratchFolder()];
		expect(one.path).not.toBe(other.path);
		await one.remove();
		expect([existsSync(one.path), existsSync(other.path)]).toEqual([false, true]);
		await other.remove();
	});

	test("the scratch folder is beside other temporary files if there is no folder in memory", async () => {
		const scratch = await scratchFolder(join(tmpdir(), "no-such-folder"));
		expect(dirname(scratch.path)).toBe(tmpdir());
		await scratch.remove();
	});

	test("a scratch folder of a killed run is removed, and that of a running one is not", async () => {
		const parent = await mkdtemp(join(tmpdir(), "scratch-parent-"));
		const dead = Bun.spawn(["true"]);
		await dead.exited;
		const names = [`tapeline-test-${dead.pid}-a`, `tapeline-test-${process.ppid}-a`, "another"];
		for (const name of names) await mkdir(join(parent, name, "inside"), { recursive: true });
		const { path } = await scratchFolder(parent);
		const left = await readdir(parent);
		expect(left.sort()).toEqual([...names.slice(1), path.slice(parent.length + 1)].sort());
		await rm(parent, { recursive: true });
	});
});

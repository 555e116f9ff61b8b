import { expect, test } from "bun:test";
import { installTools, type Machine } from "#test/run/installTools.ts";

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

test("a machine that has everything is left alone", async () => {
	expect(await installOn({ has: ["redis-server", "apt-get"], isRoot: true })).toEqual({
		ran: [],
		said: [],
	});
});

test("root on a bare Debian gets what the tests start", async () => {
	const { ran, said } = await installOn({ has: ["apt-get"], isRoot: true });
	expect(ran).toEqual([`${apt} update`, install]);
	expect(said).toEqual(["── installing redis-server"]);
});

test("so does a user with sudo that asks for no password", async () => {
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
	test(`with ${what} the run goes on, and it is said once`, async () => {
		const { said } = await installOn(traits);
		const complaints = said.filter((line) => line.includes("skipped"));
		expect(complaints).toHaveLength(1);
		expect(complaints[0]).toContain(why);
	});
}

test("a stale list of packages does not keep it from trying", async () => {
	const { ran, said } = await installOn({ has: ["apt-get"], isRoot: true, fails: /update$/ });
	expect(ran.at(-1)).toBe(install);
	expect(said).toEqual(["── installing redis-server"]);
});

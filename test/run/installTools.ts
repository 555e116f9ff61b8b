/** What installing needs of a machine. */
export type Machine = {
	has(command: string): boolean;
	isRoot: boolean;
	/** Runs a command to its end; its exit code. A command that hangs is ended. */
	run(command: readonly string[]): Promise<number>;
	say(line: string): void;
};

/** Programs that tests start, and the Debian packages that have them. */
const TOOLS: Readonly<Record<string, string>> = { "redis-server": "redis-server" };

/**
 * Installs what the tests start and this machine lacks, where it is a Debian and we may.
 *
 * Without them those tests are skipped, each with its reason; so whatever fails here is said once,
 * and the run goes on.
 */
export async function installTools(machine: Machine): Promise<void> {
	const missing = Object.entries(TOOLS).filter(([command]) => !machine.has(command));
	if (missing.length === 0) return;
	const packages = missing.map(([, name]) => name);
	const why = await install(packages, machine);
	if (why === null) return;
	machine.say(`── without ${packages.join(", ")}: ${why}; the tests that need it are skipped`);
}

/** Null once the packages are there, else why they are not. */
async function install(packages: string[], machine: Machine): Promise<string | null> {
	if (!machine.has("apt-get")) return "there is no apt-get to install it with";
	const before = await privilege(machine);
	if (before === null) return "installing it takes root, or sudo without a password";
	machine.say(`── installing ${packages.join(", ")}`);
	const apt = [...before, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"];
	// An old list of packages is better than none: only the installation decides.
	await machine.run([...apt, "update"]);
	const code = await machine.run([...apt, "install", "-y", "--no-install-recommends", ...packages]);
	return code === 0 ? null : `apt-get ended with code ${code}`;
}

/** What stands before a command that needs root; null where nothing helps. */
async function privilege(machine: Machine): Promise<string[] | null> {
	if (machine.isRoot) return [];
	if (!machine.has("sudo")) return null;
	return (await machine.run(["sudo", "-n", "true"])) === 0 ? ["sudo", "-n"] : null;
}

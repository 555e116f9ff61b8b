const SECRET_NAME =
	/(KEYS?|SECRETS?|TOKENS?|PASSWORDS?|PASSPHRASE|MNEMONIC|CREDENTIALS?)(_JSON)?$|^(DATABASE|REDIS)_URL$/;

/** Whether a variable's name says that its value is secret, also where no schema declares it so. */
export function isSecretName(name: string): boolean {
	return SECRET_NAME.test(name);
}

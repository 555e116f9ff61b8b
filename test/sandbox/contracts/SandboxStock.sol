// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {SandboxToken} from "./SandboxToken.sol";

/// A tokenised stock: ERC-20 with raw balances, and ERC-8056's multiplier that says how many shares one token shows as.
contract SandboxStock is SandboxToken {
	uint256 private constant ONE = 1e18;

	bool public oraclePaused;
	uint256 private before;
	uint256 private next;
	uint256 private at;

	event UIMultiplierUpdated(uint256 oldMultiplier, uint256 newMultiplier, uint256 effectiveAt);
	event TransferWithUIAmount(address indexed from, address indexed to, uint256 amount, uint256 uiAmount);

	constructor(
		string memory name_,
		string memory symbol_,
		uint8 decimals_,
		uint256 multiplier,
		address issuer_,
		address maker_
	) SandboxToken(name_, symbol_, decimals_, issuer_, maker_) {
		(before, next, at) = (multiplier, multiplier, 0);
	}

	/// Changes at a time and not by a transaction.
	function uiMultiplier() public view returns (uint256) {
		return block.timestamp < at ? before : next;
	}

	function newUIMultiplier() external view returns (uint256) {
		return next;
	}

	function effectiveAt() external view returns (uint256) {
		return at;
	}

	function toUIAmount(uint256 raw) public view returns (uint256) {
		return (raw * uiMultiplier()) / ONE;
	}

	function fromUIAmount(uint256 shown) external view returns (uint256) {
		return (shown * ONE) / uiMultiplier();
	}

	function balanceOfUI(address account) public view returns (uint256) {
		return toUIAmount(balanceOf(account));
	}

	function totalSupplyUI() external view returns (uint256) {
		return toUIAmount(totalSupply());
	}

	function getUserRawBalance(address account) external view returns (uint256) {
		return balanceOf(account);
	}

	function getUserUIBalance(address account) external view returns (uint256) {
		return balanceOfUI(account);
	}

	function supportsInterface(bytes4 id) external pure returns (bool) {
		return id == 0x01ffc9a7 || id == 0xa60bf13d || id == 0x4bd27648 || id == 0x57854fc3 || id == 0xd890fd71;
	}

	function setMultiplier(uint256 to, uint256 atS) external onlyIssuer {
		uint256 old = uiMultiplier();
		(before, next, at) = (old, to, atS);
		emit UIMultiplierUpdated(old, to, atS);
	}

	function setOraclePaused(bool to) external onlyIssuer {
		oraclePaused = to;
	}

	function moved(address from, address to, uint256 value) internal override {
		emit TransferWithUIAmount(from, to, value, toUIAmount(value));
	}
}

/// Deploys stocks in order, so that each address is known beforehand.
contract SandboxStockFactory {
	event Deployed(bytes32 indexed uid, address stock, string name, string symbol);

	function deploy(
		bytes32 uid,
		string calldata name,
		string calldata symbol,
		uint8 decimals,
		uint256 multiplier,
		address maker
	) external {
		SandboxStock stock = new SandboxStock(name, symbol, decimals, multiplier, msg.sender, maker);
		emit Deployed(uid, address(stock), name, symbol);
	}
}

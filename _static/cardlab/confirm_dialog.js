/** Opens a dialog that asks for confirmation. Its first button cancels, its second one confirms. */

/**
 * @param {HTMLDialogElement} dialog
 * @param {() => void} onConfirm
 */
export function openConfirmDialog(dialog, onConfirm) {
  const [cancel, confirm] = dialog.querySelectorAll("button");
  cancel.onclick = () => dialog.close();
  confirm.onclick = () => {
    dialog.close();
    onConfirm();
  };
  dialog.showModal();
}

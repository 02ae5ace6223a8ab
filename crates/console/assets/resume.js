// Presses the button that brings a form back after signing in.
document.querySelector("form[data-resume] button")?.click();

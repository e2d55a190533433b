int ckernels_placeholder;
